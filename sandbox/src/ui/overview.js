// The overview of the sandbox.

import { element, place, reconcile, stateChip, statusChip, table } from "./dom.js";
import { when } from "./live.js";
import { link as operationLink } from "./operations.js";
import { link as requestLink } from "./requests.js";

export default function overview(root) {
  const figures = element("div", { class: "figures" });
  const work = table("Operations: those under way first", [["Operation"], ["State"], ["Last event", "wide"], ["Updated"]]);
  const requests = table("Last requests", [["No."], ["Request"], ["Status"], ["When"]]);
  const none = element("p", { class: "empty" }, "No request has come yet. ", element("a", { href: "#/addresses" }, "Addresses and export lines"),
    " say how a program reaches this sandbox.");
  work.body.id = "operations";
  requests.body.id = "requests";
  root.append(figures, element("div", { class: "two roomy" }, element("section", {}, work.whole, element("p", { class: "more" }, element("a", { href: "#/operations" }, "All operations"))),
    element("section", {}, requests.whole, none, element("p", { class: "more" }, element("a", { href: "#/requests" }, "All requests")))),
  element("p", { id: "choices", class: "note" }, "The platform document shows no status for a missing or expired token (here 401, empty, with a challenge) or for a " +
    "role that is not enough (here 403, empty), no states and no events: these are the sandbox's own choice."));

  function figure([id, number, text, address]) {
    return element("a", { class: "figure", href: address, id: `figure-${id}` }, element("strong", {}, number.toLocaleString("en")), element("span", {}, text));
  }

  return {
    title: "Overview",
    update(state) {
      const running = state.operations.filter((operation) => !operation.isOver);
      const failed = state.requests.filter((request) => request.status >= 400).length;
      const items = Object.values(state.resources).reduce((sum, size) => sum + size, 0);
      const total = Object.values(state.counts).reduce((sum, number) => sum + number, 0);
      reconcile(figures, [
        ["requests", total, total === 1 ? "request" : "requests", "#/requests"],
        ["failed", failed, `of the last ${state.requests.length} with 4xx or 5xx`, "#/requests"],
        ["running", running.length, "operations under way", "#/operations"],
        ["items", items, "items stored", "#/state"],
        ["faults", state.faults.length, state.faults.length === 1 ? "fault waits" : "faults wait", "#/faults"],
      ], ([id]) => id, figure);
      const first = [...running, ...state.operations.filter((operation) => operation.isOver)].slice(0, 12);
      reconcile(work.body, first, (operation) => operation.id, (operation) => element("tr", {},
        element("th", { scope: "row" }, operationLink(operation), element("div", { class: "note" }, place(operation.target, 1))), element("td", {}, stateChip(operation.state)),
        element("td", { class: "wide" }, operation.lastEvent ?? ""),
        element("td", { class: "time" }, when(operation.updatedAt))));
      reconcile(requests.body, state.requests.slice(0, 12), (request) => request.number, (request) => element("tr", {},
        element("td", {}, String(request.number)), element("th", { scope: "row" }, requestLink(request)), element("td", {}, statusChip(request)),
        element("td", { class: "time" }, when(request.at, "real"))));
      none.hidden = state.requests.length > 0;
    },
  };
}
