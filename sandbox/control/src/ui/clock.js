// The clock, beside the work that it drives.

import { attempt, choice, element, labelled } from "./dom.js";
import { ask, moment, now, state as newest } from "./live.js";
import { CLOCK, work } from "./own.js";

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
    element("p", { class: "note" }, CLOCK));
  const driven = work?.driven();
  root.append(driven ? element("div", { class: "two" }, control, driven.section) : control);

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
      driven?.load();
    },
    tick,
  };
}
