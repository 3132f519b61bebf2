// The platform's asynchronous work on the pages of overview and clock.

import { attempt, coalesced, element, place, reconcile, stateChip, table } from "./dom.js";
import { ask, query, when } from "./live.js";
import { advanceTo, link } from "./operations.js";

/** The operations on the overview, those under way first. */
export function overview() {
  const work = table("Operations: those under way first", [["Operation"], ["State"], ["Last event", "wide"], ["Updated"]]);
  work.body.id = "operations";
  const running = (state) => state.operations.filter((operation) => !operation.isOver);
  return {
    section: element("section", {}, work.whole, element("p", { class: "more" }, element("a", { href: "#/operations" }, "All operations"))),
    figure: (state) => ["running", running(state).length, "operations under way", "#/operations"],
    update(state) {
      const first = [...running(state), ...state.operations.filter((operation) => operation.isOver)].slice(0, 12);
      reconcile(work.body, first, (operation) => operation.id, (operation) => element("tr", {},
        element("th", { scope: "row" }, link(operation), element("div", { class: "note" }, place(operation.target, 1))), element("td", {}, stateChip(operation.state)),
        element("td", { class: "wide" }, operation.lastEvent ?? ""),
        element("td", { class: "time" }, when(operation.updatedAt))));
    },
  };
}

/** The work that the clock drives. */
export function driven() {
  const next = table("Next events, soonest first", [["Operation"], ["State"], ["Next event"], ["Move"]]);
  next.body.id = "next";
  const none = element("p", { class: "empty" }, "Nothing is planned: no operation is under way.");
  const last = table("Operations that ended last", [["Operation"], ["State"], ["When"]]);
  const load = coalesced(async () => {
    const [{ operations: going }, { operations: ended }] = await Promise.all([ask("GET", query("/sandbox/operations", { over: false, limit: 200 })),
      ask("GET", query("/sandbox/operations", { over: true, limit: 8 }))]);
    const planned = going.filter((operation) => operation.nextAt).sort((one, other) => one.nextAt < other.nextAt ? -1 : 1).slice(0, 20);
    reconcile(next.body, planned, (operation) => operation.id, (operation) => element("tr", {},
      element("th", { scope: "row" }, link(operation)), element("td", {}, stateChip(operation.state)), element("td", { class: "time" }, when(operation.nextAt)),
      element("td", {}, element("button", { type: "button", "aria-label": `To it: the next event of ${operation.kind}`, onclick: attempt(() => advanceTo(operation.nextAt)) }, "To it"))));
    next.whole.hidden = planned.length === 0;
    none.hidden = planned.length > 0;
    reconcile(last.body, ended, (operation) => operation.id, (operation) => element("tr", {},
      element("th", { scope: "row" }, link(operation)), element("td", {}, stateChip(operation.state)), element("td", { class: "time" }, when(operation.updatedAt))));
    last.whole.hidden = ended.length === 0;
  });

  return { section: element("div", {}, element("section", {}, next.whole, none), element("section", {}, last.whole)), load };
}
