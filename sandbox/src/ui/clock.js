// The clock of asynchronous work, beside the work that it drives.

import { attempt, choice, coalesced, element, labelled, reconcile, stateChip, table } from "./dom.js";
import { ask, moment, now, query, state as newest, when } from "./live.js";
import { advanceTo, link } from "./operations.js";

const STEPS = [[1000, "1 s"], [10000, "10 s"], [60000, "1 min"], [3600000, "1 h"], [86400000, "1 day"]];
const PACES = [0.1, 1, 2, 10, 60, 3600];

export default function clock(root) {
  const face = element("p", { id: "face", class: "face" });
  const note = element("p", { id: "face-note", class: "note" });
  const set = (body) => ask("POST", "/sandbox/clock", body);
  const hold = element("button", { type: "button", id: "hold", class: "primary", onclick: attempt(() => set({ hold: newest.pace !== 0 })) });
  const pace = choice([["0", "held"], ...PACES.map((times) => [String(times), `× ${times}`])], { id: "pace", onchange: attempt(() => set({ pace: Number(pace.value) })) });
  const to = element("input", { id: "set-to", type: "datetime-local", step: 1, min: "1970-01-01T00:00:00", max: "9999-12-31T23:59:59", required: true });
  const control = element("section", { class: "card" }, element("h2", {}, "The clock, in UTC"), face, note,
    element("p", { class: "actions" }, hold, element("button", { type: "button", id: "clock-reset", onclick: attempt(() => set({ reset: true }), "The clock shows real time") }, "Real time")),
    element("p", { class: "actions", role: "group", "aria-label": "Move the clock on" }, element("span", {}, "Move on by"),
      ...STEPS.map(([step, text]) => element("button", { type: "button", "data-step": step, onclick: attempt(() => set({ advanceMilliseconds: step })) }, text))),
    element("form", { onsubmit: attempt(() => set({ set: `${to.value.length === 16 ? `${to.value}:00` : to.value}Z` }), "The clock is set") },
      element("div", { class: "fields" }, labelled("Pace", pace), labelled("Set to (UTC)", to), element("button", { id: "set" }, "Set"))),
    element("p", { class: "note" }, "It drives asynchronous operations. Tokens do not follow it: the skew of the issuer's clock is for them."));
  const next = table("What comes next, soonest first", [["Operation"], ["State"], ["Next event"], ["Move"]]);
  next.body.id = "next";
  const none = element("p", { class: "empty" }, "Nothing is planned: no operation is under way.");
  const last = table("Operations that ended last", [["Operation"], ["State"], ["When"]]);
  root.append(element("div", { class: "two" }, control, element("div", {}, element("section", {}, next.whole, none), element("section", {}, last.whole))));

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

  function tick() {
    if (!newest) return;
    face.textContent = moment(now());
    if (document.activeElement !== to && !to.value) to.value = moment(now()).slice(0, 19).replace(" ", "T");
  }

  return {
    title: "Clock",
    update(state) {
      const held = state.pace === 0;
      hold.textContent = held ? "Let it run" : "Hold";
      face.classList.toggle("held", held);
      note.textContent = held ? "Held: it moves only when it is moved." : state.pace === 1 ? "It runs with real time." : `It runs ${state.pace} times as fast as real time.`;
      pace.value = String(state.pace);
      if (pace.selectedIndex < 0) pace.append(new Option(`× ${state.pace}`, String(state.pace), true, true));
      tick();
      load();
    },
    tick,
  };
}
