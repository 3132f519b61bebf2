// The overview of the sandbox.

import { element, reconcile, statusChip, table } from "./dom.js";
import { when } from "./live.js";
import { OVERVIEW, work } from "./own.js";
import { link as requestLink } from "./requests.js";

export default function overview(root) {
  const figures = element("div", { class: "figures" });
  const requests = table("Last requests", [["No."], ["Request"], ["Status"], ["When"]]);
  const none = element("p", { class: "empty" }, "No request has come yet. ", ...OVERVIEW.first.map(([text, href]) => href ? element("a", { href }, text) : text));
  const running = work?.overview();
  requests.body.id = "requests";
  root.append(figures, element("div", { class: running ? "two roomy" : "" }, running?.section ?? "",
    element("section", {}, requests.whole, none, element("p", { class: "more" }, element("a", { href: "#/requests" }, "All requests")))),
  element("p", { id: "choices", class: "note" }, OVERVIEW.note));

  function figure([id, number, text, address]) {
    return element("a", { class: "figure", href: address, id: `figure-${id}` }, element("strong", {}, number.toLocaleString("en")), element("span", {}, text));
  }

  return {
    title: "Overview",
    update(state) {
      const failed = state.requests.filter((request) => request.status >= 400).length;
      const items = Object.values(state.resources).reduce((sum, size) => sum + size, 0);
      const total = Object.values(state.counts).reduce((sum, number) => sum + number, 0);
      reconcile(figures, [
        ["requests", total, total === 1 ? "request" : "requests", "#/requests"],
        ["failed", failed, `of the last ${state.requests.length} with 4xx or 5xx`, "#/requests"],
        ...(running ? [running.figure(state)] : []),
        ["items", items, "items stored", "#/state"],
        ["faults", state.faults.length, state.faults.length === 1 ? "fault waits" : "faults wait", "#/faults"],
      ], ([id]) => id, figure);
      running?.update(state);
      reconcile(requests.body, state.requests.slice(0, 12), (request) => request.number, (request) => element("tr", {},
        element("td", {}, String(request.number)), element("th", { scope: "row" }, requestLink(request)), element("td", {}, statusChip(request)),
        element("td", { class: "time" }, when(request.at, "real"))));
      none.hidden = state.requests.length > 0;
    },
  };
}
