import { content, element, redeem } from "./common.js";

const answer = new URLSearchParams(location.search);
const begun = JSON.parse(sessionStorage.getItem("login") ?? "null");
sessionStorage.removeItem("login");
try {
  if (!begun || answer.get("state") !== begun.state) throw new Error("This login was not begun here.");
  if (answer.get("iss") !== `${location.origin}/identity`) throw new Error("The answer comes from another issuer.");
  if (!answer.get("code")) throw new Error(answer.get("error_description") ?? "The answer has no code.");
  await redeem(answer.get("code"), begun.verifier);
  location.replace(begun.back);
} catch (error) {
  content.append(element("p", { class: "problem", role: "alert" }, String(error.message)),
    element("p", { class: "actions" }, element("a", { class: "button", href: begun?.back ?? "/sandbox" }, "Back")));
}
