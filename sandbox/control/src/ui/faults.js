// Faults as controls, beside the requests that they were applied to.

import { attempt, choice, coalesced, count, element, labelled, notify, reconcile, statusChip, table } from "./dom.js";
import { Raw, members, written } from "./json.js";
import { ask, when } from "./live.js";
import { FAULTS } from "./own.js";
import { link as requestLink, met as hasMet } from "./requests.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The kinds of faults, each with the list that the control interface reads. */
const PRESETS = [
  ["status=503, retry-after=1", "unavailable, come back in a second (503)"],
  ["status=429, retry-after=2", "too many requests (429)"],
  ["status=500", "an error of the server (500)"],
  ["late-status=502", "handled, but answered with 502"],
  ["latency=1000", "a second late"],
  ["reset=before", "the connection is reset, nothing is done"],
  ["reset=after", "the connection is reset after the work is done"],
  ["truncate=10", "the body ends after 10 bytes"],
  ["stall=10", "the body stops after 10 bytes, and stays open"],
  ...FAULTS.presets,
];

export default function faults(root) {
  const preset = choice([...PRESETS, ["", "something else, written below"]], { id: "fault-preset", onchange: () => { text.value = preset.value || text.value; } });
  const text = element("input", { id: "fault-text", required: true, value: PRESETS[0][0], oninput: () => { preset.value = text.value; if (preset.selectedIndex < 0) preset.value = ""; } });
  const method = choice([["", "any"], ...METHODS.map((name) => [name, name])], { id: "fault-method" });
  const path = element("input", { id: "fault-path", placeholder: FAULTS.path || "/", value: FAULTS.path, pattern: "/[^?#\\{\\}\\s]*", title: "the beginning of a path; no template, no query" });
  const criteria = element("input", { id: "fault-match", placeholder: '{"operation":"GET /…"}, {"graphql":"…"}, {"pointers":{"/name":"a"}}', title: "further criteria of the schema Match, as a JSON object" });
  const times = element("input", { id: "fault-times", type: "number", min: 1, max: 2147483647, placeholder: "all", value: 1 });
  const probability = element("input", { id: "fault-probability", type: "number", min: 1, max: 100, step: "any", value: 100 });
  const body = element("textarea", { id: "fault-body", rows: 2, placeholder: "none: a problem body; or JSON, or text" });
  const problem = element("p", { class: "problem", role: "alert" });
  const form = element("form", { id: "fault-form", class: "card", onsubmit: add }, element("h2", {}, "Add a fault"),
    labelled("Fault", preset), labelled("As the control interface writes it", text),
    element("div", { class: "fields" }, labelled("Method", method), labelled("Path begins", path), labelled("Requests", times), labelled("Per cent of them", probability)),
    labelled("Further criteria, as JSON (optional)", criteria), labelled("Body that is answered (optional)", body), problem, element("p", { class: "actions" }, element("button", { class: "primary", id: "fault-add" }, "Add the fault")));

  const list = table("Faults that wait for requests, oldest first: the oldest that fits applies", [["Fault"], ["Requests"], ["Met"], ["Remove"]]);
  list.body.id = "faults";
  const none = element("p", { class: "empty" }, "No fault waits for requests.");
  const clear = element("button", { type: "button", class: "danger", id: "faults-clear", onclick: attempt(() => ask("DELETE", "/sandbox/faults"), "All faults are removed") }, "Remove all");
  const met = table("Last requests that met a fault", [["No."], ["Request and fault"], ["Status"], ["When", "wide"]]);
  met.body.id = "met";
  const nobody = element("p", { class: "empty" }, "No request of the journal has met one.");

  const drop = element("input", { id: "drop", type: "number", min: 0, max: 2147483647, value: 1 });
  const duplicate = element("input", { id: "duplicate", type: "number", min: 0, max: 2147483647, value: 0 });
  const events = element("p", { id: "event-faults", class: "note" });
  const code = element("input", { id: "close-code", type: "number", min: 1000, max: 4999, placeholder: "none: reset", value: 1012 });
  const followers = element("section", { class: "card" }, element("h2", {}, "Followers of operations"),
    element("form", { onsubmit: attempt(() => ask("POST", "/sandbox/event-faults", { drop: Number(drop.value), duplicate: Number(duplicate.value) }), "Set") },
      element("div", { class: "fields" }, labelled("Events to lose", drop), labelled("Events to double", duplicate), element("button", { id: "events-set" }, "Set")), events),
    element("form", { onsubmit: attempt(() => ask("POST", "/sandbox/sockets", code.value ? { code: Number(code.value) } : {}), "Every socket and event stream is closed") },
      element("div", { class: "fields" }, labelled("Close code of WebSockets", code), element("button", {}, "Close all now"))));
  root.append(element("div", { class: "two" }, element("div", {}, form, ...(FAULTS.hasFollowers ? [followers] : [])),
    element("div", {}, element("section", {}, list.whole, none, element("p", { class: "actions" }, clear)), element("section", {}, met.whole, nobody))));

  async function add(event) {
    event.preventDefault();
    problem.textContent = "";
    const wanted = { match: {}, fault: text.value, probability: Number(probability.value) / 100 };
    try {
      if (criteria.value.trim()) wanted.match = members(criteria.value);
    } catch {
      problem.textContent = "The further criteria are not an object in JSON.";
      return;
    }
    if (path.value) wanted.match.path = path.value;
    if (method.value) wanted.match.method = method.value;
    if (times.value) wanted.times = Number(times.value);
    if (body.value.trim()) {
      try {
        wanted.body = new Raw(body.value);
      } catch {
        wanted.body = body.value;
      }
    }
    try {
      const { id } = await ask("POST", "/sandbox/faults", wanted);
      notify(`Fault ${id} waits`);
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  const load = coalesced(async () => {
    const { requests } = await ask("GET", "/sandbox/requests");
    const last = requests.filter(hasMet).reverse().slice(0, 20);
    reconcile(met.body, last, (request) => request.number, (request) => element("tr", {},
      element("td", { class: "number" }, String(request.number)), element("th", { scope: "row" }, requestLink(request), element("div", { class: "note" }, request.faultId === null ? "its header: " : `${request.faultId}: `, request.fault)),
      element("td", {}, statusChip(request)), element("td", { class: "wide time" }, when(request.at, "real"))));
    met.whole.hidden = last.length === 0;
    nobody.hidden = last.length > 0;
  });

  function row(fault) {
    const { method, path, operation, ...others } = fault.match;
    const whom = [operation ?? [method ?? "any method", path ?? "any path"].join(" "), ...Object.entries(others).map(([name, value]) => `${name} ${written(value)}`)].join(", ");
    const near = fault.nearMisses.map((miss) => element("li", {}, `${miss.method} ${miss.path}: ${miss.differences.join("; ")}`));
    const often = [fault.times === null ? "all" : `${fault.times - fault.used} more`, fault.probability < 1 ? `${Math.round(fault.probability * 1000) / 10} %` : ""].filter(Boolean).join(", ");
    return element("tr", {}, element("th", { scope: "row" }, `${fault.id}: ${fault.fault || "a body"}`, fault.body === null ? undefined : element("div", { class: "note", title: fault.body }, `body: ${fault.body.slice(0, 60)}`)),
      element("td", {}, element("span", { class: "path" }, whom), element("div", { class: "note" }, often),
        near.length > 0 && element("details", { class: "note" }, element("summary", {}, count(near.length, "near miss", "near misses")), element("ul", {}, ...near))), element("td", { class: "number" }, String(fault.used)),
      element("td", {}, element("button", { type: "button", "aria-label": `Remove fault ${fault.id}`, onclick: attempt(() => ask("DELETE", `/sandbox/faults/${fault.id}`), `Fault ${fault.id} is removed`) }, "Remove")));
  }

  return {
    title: "Faults",
    update(state) {
      reconcile(list.body, state.faults, (fault) => fault.id, row);
      list.whole.hidden = state.faults.length === 0;
      none.hidden = state.faults.length > 0;
      clear.hidden = state.faults.length === 0;
      events.textContent = `${count(state.eventFaults.drop, "event")} to lose and ${count(state.eventFaults.duplicate, "event")} to double are left.`;
      load();
    },
    show([prefilled]) {
      if (!prefilled) return;
      const asked = new URLSearchParams(prefilled);
      method.value = METHODS.includes(asked.get("method")) ? asked.get("method") : "";
      path.value = asked.get("path") ?? "";
      criteria.value = asked.has("operation") ? written({ operation: asked.get("operation") }) : "";
      preset.focus();
    },
  };
}
