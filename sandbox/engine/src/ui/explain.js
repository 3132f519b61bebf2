// Each operation of the contracts: what it was taken for, and why.

import { attempt, choice, element, labelled, reconcile, table } from "./dom.js";
import { ask } from "./live.js";

/** The number of operations that are listed at once. */
const LISTED = 300;

export default function explain(root) {
  let all = [];
  const search = element("input", { type: "search", placeholder: "path, role or reason", oninput: () => show() });
  const role = choice([["", "all"]], { onchange: () => show() });
  const list = table("Operations in the order of the contract", [["Operation"], ["Taken for"], ["Why"]]);
  list.body.id = "explain";
  const none = element("p", { class: "empty" });
  root.append(element("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, labelled("Search", search), labelled("Role", role)),
    list.whole, none, element("p", { class: "note" }, "A behaviour file (--behaviour) corrects a role, and adds statuses, seeds and states."));

  function show() {
    const text = search.value.trim().toLowerCase();
    const found = all.filter((one) => (!role.value || one.role === role.value) && `${one.method} ${one.path} ${one.role} ${one.collection ?? ""} ${one.reason}`.toLowerCase().includes(text));
    reconcile(list.body, found.slice(0, LISTED), (one) => `${one.contract} ${one.method} ${one.path}`, (one) => element("tr", {},
      element("th", { scope: "row", class: "path" }, element("span", { class: "method" }, one.method), " ", element("bdi", {}, one.path)),
      element("td", {}, one.role, one.collection ? element("div", { class: "note path" }, one.collection) : undefined), element("td", {}, one.reason)));
    list.whole.hidden = found.length === 0;
    none.textContent = found.length > LISTED ? `${found.length - LISTED} more: search for them.` : found.length > 0 ? "" : "No operation fits.";
  }

  attempt(async () => {
    all = (await ask("GET", "/sandbox/explain")).operations;
    role.append(...[...new Set(all.map((one) => one.role))].sort().map((name) => new Option(name, name)));
    show();
  })();

  return { title: "Operations", update() {} };
}
