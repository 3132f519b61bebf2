// Addresses, clients and users, and lines to copy into a terminal or a program.

import { attempt, choice, copyButton, element, identifier, labelled, table } from "./dom.js";
import { logIn } from "./common.js";
import { powershellWord, word } from "./curl.js";
import { ask } from "./live.js";

/** The lines that give a program its environment. */
const FORMS = {
  sh: ["bash, zsh", (pairs) => pairs.map(([name, value]) => `export ${name}=${word(value)}`)],
  powershell: ["PowerShell", (pairs) => pairs.map(([name, value]) => `$env:${name} = ${powershellWord(value)}`)],
  env: [".env file", (pairs) => pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`)],
};

function code(id, lines, what) {
  return element("div", { class: "body" }, copyButton(lines, what), element("pre", { id, tabindex: "0", role: "region", "aria-label": what }, lines));
}

export default function addresses(root) {
  let known;
  const form = choice(Object.entries(FORMS).map(([name, [text]]) => [name, text]), { id: "form", onchange: () => lines() });
  const client = choice([], { id: "client", onchange: () => lines() });
  const exported = element("div");
  const places = element("div");
  root.append(places);

  function lines() {
    const one = known.clients.find(({ clientId }) => clientId === client.value);
    const pairs = [["PLATFORM_BASE_URL", known.baseUrl], ["PLATFORM_ISSUER", known.issuer], ["PLATFORM_CLIENT_ID", one.clientId]];
    if (one.secretFile) pairs.push(["PLATFORM_SECRET_FILE", one.secretFile]);
    const secret = one.secretFile ? `client_secret@${one.secretFile}` : "client_secret@FILE";
    const token = [`TOKEN=$(curl -sS ${word(`${known.issuer}/connect/token`)} \\`,
      `  -d grant_type=client_credentials -d scope=api --data-urlencode ${word(`client_id=${one.clientId}`)} \\`,
      `  --data-urlencode ${word(secret)} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      `curl -H "Authorization: Bearer $TOKEN" ${word(`${known.baseUrl}/api/projects/v1/projects`)}`].join("\n");
    exported.replaceChildren(code("exports", FORMS[form.value][1](pairs).join("\n"), "the environment"),
      one.secretFile ? "" : element("p", { class: "note" }, "The secret is known to the program that started the sandbox; it was not written into a file."),
      element("h3", {}, "A token in $TOKEN, and a first request"), code("token-lines", token, "the commands"),
      element("h3", {}, "This sandbox, driven from a shell"), code("control-lines", `platform-sandbox control --sandbox ${word(known.baseUrl)} state`, "the command"));
  }

  function who(memberships) {
    return memberships.map(({ team, role, projects }) => `${role} of ${team}${projects.length > 0 ? " (some projects)" : ""}`).join(", ");
  }

  function file(path) {
    return path ? element("span", { class: "id" }, element("code", { title: path }, path.split(/[\\/]/).pop()), copyButton(path, "the path of the file")) : "—";
  }

  /** Signs in without a password: the control interface begins the session. */
  async function signIn(user) {
    await ask("POST", "/sandbox/issuer/sessions", { user });
    await logIn();
  }

  async function load() {
    known = await ask("GET", "/sandbox/directory");
    const at = table("Addresses", [["What"], ["Address"]]);
    const named = [["Base URL", known.baseUrl], ["Issuer", known.issuer], ["Discovery", `${known.issuer}/.well-known/openid-configuration`], ["Contract", known.contract], ["GraphQL", known.graphql],
      ["Compliance server", known.compliance], ["Control interface", `${known.baseUrl}/sandbox/openapi.yaml`]];
    at.body.append(...named.map(([name, address]) => element("tr", {}, element("th", { scope: "row" }, name),
      element("td", {}, element("code", { class: "path" }, address), " ", copyButton(address, `the address of ${name}`)))));
    const own = (one) => one.secretFile || one.grants.includes("client_credentials");
    client.replaceChildren(...known.clients.filter(own).map(({ clientId }) => element("option", { value: clientId }, clientId)));
    const clients = table("Clients", [["Client"], ["Role"], ["Grants", "wide"], ["Secret"]]);
    clients.body.append(...known.clients.map((one) => element("tr", {}, element("th", { scope: "row" }, identifier(one.clientId, "client_id"), element("div", { class: "note" }, one.about)),
      element("td", {}, who(one.memberships)), element("td", { class: "wide" }, one.grants.join(", ")), element("td", {}, one.isPublic ? "public: none" : file(one.secretFile)))));
    const users = table("Users, who log in on the issuer's page", [["User"], ["Identifier", "wide"], ["Role"], ["Password"]]);
    users.body.append(...known.users.map((one) => element("tr", {}, element("th", { scope: "row" }, one.name, " ", element("button", { type: "button", "data-user": one.name, "aria-label": `Sign in as ${one.name}`, onclick: attempt(() => signIn(one.name)) }, "Sign in"), element("div", { class: "note" }, one.about)),
      element("td", { class: "wide" }, identifier(one.id, "user identifier")), element("td", {}, who(one.memberships)), element("td", {}, file(one.passwordFile)))));
    const teams = table("Teams, and what a request names of them", [["Team"], ["teamId"], ["teamBillingAccountId", "wide"], ["storeItemPaymentPlanId", "wide"]]);
    teams.body.append(...known.teams.map((one) => element("tr", {}, element("th", { scope: "row" }, one.name), element("td", {}, identifier(one.id, "team identifier")),
      element("td", { class: "wide" }, identifier(one.billingAccountId, "billing account")), element("td", { class: "wide" }, identifier(one.paymentPlanId, "payment plan")))));
    places.replaceChildren(element("section", {}, at.whole),
      element("section", { class: "card" }, element("h2", {}, "Lines to copy"), element("div", { class: "fields" }, labelled("For", form), labelled("Client", client)), exported),
    element("section", {}, clients.whole), element("section", {}, users.whole), element("section", {}, teams.whole));
    lines();
  }

  attempt(load)();
  return { title: "Addresses", update() {} };
}
