import { content, element } from "./common.js";

const tables = {
  operations: ["Running and past operations", ["kind", "state", "lastEvent", "target", "updatedAt"]],
  requests: ["Last requests", ["number", "method", "path", "status", "milliseconds", "at"]],
};
const clock = element("code", { id: "clock" });
const resources = element("p", { id: "resources" });
const total = element("p", { id: "total" });

async function post(path, body) {
  await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

content.append(
  element("p", { id: "choices" }, "The platform document shows no status for a missing or expired token (here 401, empty, with a challenge) " +
    "or for a role that is not enough (here 403, empty), no states and no events: these are the sandbox's own choice."),
  element("p", {}, "Clock of asynchronous work: ", clock, " ",
    element("button", { onclick: () => post("/sandbox/clock", { advanceMilliseconds: 60000 }) }, "A minute on"), " ",
    element("button", { onclick: () => post("/sandbox/clock", { hold: true }) }, "Hold"), " ",
    element("button", { onclick: () => post("/sandbox/clock", { hold: false }) }, "Go on"), " ",
    element("button", { onclick: () => post("/sandbox/reset", {}) }, "Reset the state")),
  element("h2", {}, "State"), resources, total);
const bodies = {};
for (const [name, [title, columns]] of Object.entries(tables)) {
  bodies[name] = element("tbody", { id: name });
  const head = element("tr", {}, ...columns.map((column) => element("th", {}, column)));
  content.append(element("h2", {}, title), element("table", {}, element("thead", {}, head), bodies[name]));
}

function show(state) {
  clock.textContent = state.clock;
  resources.textContent = Object.entries(state.resources).map(([name, size]) => `${name} ${size}`).join(" · ");
  total.textContent = `${state.counts.reduce((sum, [, count]) => sum + count, 0)} requests`;
  for (const [name, [, columns]] of Object.entries(tables)) {
    const cell = (row, column) => element("td", { class: `${column}-${row[column]}`.replaceAll(/[^\w-]/g, "_") }, String(row[column] ?? ""));
    bodies[name].replaceChildren(...state[name].map((row) => element("tr", {}, ...columns.map((column) => cell(row, column)))));
  }
}

new EventSource("/sandbox/events").addEventListener("state", (event) => show(JSON.parse(event.data)));
