// Asynchronous operations: a list, and one with its timeline of past and planned states and events.

import { attempt, choice, coalesced, count, element, identifier, labelled, place, reconcile, short, stateChip, table } from "./dom.js";
import { ask, moment, now, query, span, when } from "./live.js";

const STATES = ["Queued", "Running", "Succeeded", "Failed", "Cancelled"];

export function link(operation) {
  return element("a", { class: "row", href: `#/operations/${operation.id}`, title: operation.id }, operation.kind);
}

export default function operations(root) {
  let open;
  const kinds = new Set();
  const search = element("input", { type: "search", placeholder: "identifier or target", oninput: () => load(true) });
  const state = choice([["", "all"], ...STATES.map((name) => [name, name])], { onchange: () => load(true) });
  const kind = choice([["", "all"]], { onchange: () => load(true) });
  const list = table("Operations, newest first", [["Kind"], ["State"], ["Works on", "wide"], ["Identifier", "wide"], ["Updated"]]);
  list.body.id = "operations";
  const empty = element("p", { class: "empty" });
  const detail = element("section", { class: "detail", "aria-label": "Operation", hidden: true });
  const split = element("div", { class: "split" }, element("section", { class: "list" },
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, labelled("Search", search), labelled("State", state), labelled("Kind", kind)),
    list.whole, empty), detail);
  root.append(split);

  const load = coalesced(async () => {
    const found = await ask("GET", query("/sandbox/operations", { search: search.value, state: state.value, kind: kind.value }));
    for (const { kind: name } of found.operations) {
      if (!kinds.has(name)) kind.append(element("option", { value: name }, name));
      kinds.add(name);
    }
    reconcile(list.body, found.operations, (operation) => operation.id, row);
    mark();
    const filters = search.value || state.value || kind.value;
    empty.textContent = found.total > found.operations.length ? `The newest ${found.operations.length} of ${found.total}.`
      : found.total > 0 ? "" : filters ? "No operation fits." : "No operation has begun yet. A deployment begins one.";
    if (open) await loadOne();
  });

  function row(operation) {
    return element("tr", {}, element("th", { scope: "row" }, link(operation)), element("td", {}, stateChip(operation.state)),
      element("td", { class: "wide" }, place(operation.target)), element("td", { class: "wide" }, identifier(operation.id, "operation identifier")),
      element("td", { class: "time" }, when(operation.updatedAt)));
  }

  function mark() {
    for (const link of list.body.querySelectorAll("a.row")) {
      if (open && link.hash === `#/operations/${open}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  async function loadOne() {
    const wanted = open;
    try {
      const operation = await ask("GET", `/sandbox/operations/${encodeURIComponent(wanted)}`);
      if (open === wanted) reconcile(detail, [operation], (one) => one.id, one);
    } catch (error) {
      if (![400, 404].includes(error.status) || open !== wanted) throw error;
      reconcile(detail, [{ gone: wanted }], (one) => one.gone, () => element("div", {}, close(), element("p", { class: "empty" }, "This operation does not exist any more.")));
    }
  }

  const close = () => element("a", { class: "close", href: "#/operations", "aria-label": "Close" }, "✕");

  function one(operation) {
    const began = Date.parse(operation.createdAt);
    const line = (event, planned) => element("li", { class: planned ? "planned" : "" }, stateChip(event.state), " ",
      element("strong", {}, event.kind), " ", element("span", { class: "offset", title: event.at }, `+${span(Date.parse(event.at) - began)}`), " ", when(event.at),
      event.message ? element("p", {}, event.message) : undefined);
    const [collection, key] = [operation.target.slice(0, operation.target.lastIndexOf("/")), operation.target.split("/").pop()];
    const next = operation.plan[0];
    return element("div", {}, close(), element("h2", {}, operation.kind, " ", stateChip(operation.state)),
      element("dl", { class: "pairs" },
        element("dt", {}, "Identifier"), element("dd", {}, identifier(operation.id, "operation identifier")),
        element("dt", {}, "Works on"), element("dd", {}, element("a", { href: `#/state/i/${encodeURIComponent(operation.target)}`, title: operation.target },
          `${collection.split("/").pop()} / ${short(key)}`)),
        element("dt", {}, "Team"), element("dd", {}, identifier(operation.teamId, "team identifier")),
        element("dt", {}, "Began"), element("dd", {}, moment(began), " · ", when(operation.createdAt))),
      element("h3", {}, "Timeline"),
      element("ol", { class: "timeline" }, ...operation.events.map((event) => line(event, false)), ...operation.plan.map((event) => line(event, true))),
      next ? element("p", { class: "actions" }, element("button", { type: "button", id: "to-next", onclick: attempt(() => advanceTo(next.at)) },
        `Move the clock to the next event: ${next.kind}`))
        : element("p", { class: "note" }, operation.isOver ? `Nothing more happens: ${count(operation.events.length, "event")}.` : "Nothing more is planned: the operation stays as it is."));
  }

  return {
    title: "Operations",
    update: load,
    show([id]) {
      open = id;
      split.classList.toggle("open", Boolean(open));
      detail.hidden = !open;
      if (!open) reconcile(detail, [], String, String);
      mark();
      load(true);
    },
    back() {
      if (!open) return;
      const left = open;
      location.hash = "#/operations";
      list.body.querySelector(`a.row[href$="${CSS.escape(left)}"]`)?.focus();
    },
  };
}

/** Moves the clock on to a moment. */
export function advanceTo(at) {
  return ask("POST", "/sandbox/clock", { advanceMilliseconds: Math.max(0, Math.ceil(Date.parse(at) - now()) + 1) });
}
