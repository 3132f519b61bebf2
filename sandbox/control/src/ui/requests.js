// The journal: a searchable list, and one request with its headers, bodies and answer.

import { attempt, choice, coalesced, copyButton, count, element, labelled, reconcile, shortPath, statusChip, table } from "./dom.js";
import { curl } from "./curl.js";
import { pretty } from "./json.js";
import { ask, when } from "./live.js";
import { SERVERS, answerer, authorization, canRepeat, credentials, serverAddresses } from "./own.js";

const SHOWN = 200;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const RESULTS = [["", "all"], ["2", "2xx"], ["3", "3xx"], ["4", "4xx"], ["5", "5xx"], ["fault", "with a fault"], ["errors", "GraphQL errors"]];

export function link(request) {
  const text = request.path + (request.query ? `?${request.query}` : "");
  return element("a", { class: "row path", href: `#/requests/${request.number}`, title: `${request.method} ${text}` },
    element("span", { class: "method" }, request.method), " ", element("bdi", {}, shortPath(request.path, request.query)),
    SERVERS[request.server] && [" ", element("span", { class: "chip" }, SERVERS[request.server])]);
}

/** True if a request had a fault: one of a rule, or of its own header. */
export const met = (request) => request.faultId !== null || Boolean(request.fault);

/** The part that answered a request. */
function answered(request) {
  const fault = !met(request) ? "" : request.faultId === null ? `fault of the request's own header: ${request.fault}` : `fault ${request.faultId}: ${request.fault}`;
  const operation = request.operation;
  const rule = answerer(request) ?? (operation ? `${operation.method} ${operation.path}` : "nothing: the contract has no operation of this method and path");
  return element("dl", { class: "pairs" },
    ...(fault ? [element("dt", {}, "Fault"), element("dd", { id: "answered-fault", class: "bad" }, fault)] : []),
    element("dt", {}, "Rule"), element("dd", { id: "answered-rule" }, rule, operation ? provenance(operation.provenance) : []),
    ...(operation?.summary ? [element("dt", {}, "Operation"), element("dd", {}, operation.summary ?? "")] : []));
}

/** One word about an operation, or its role and the reason for it. */
function provenance(text) {
  return /^\w+$/.test(text) ? [" ", element("span", { class: `chip ${text}` }, text)] : [element("div", { class: "note" }, text)];
}

function message(title, { headers, body, length }) {
  return element("section", { class: "message" }, element("h3", {}, title),
    element("details", { open: headers.length < 12 }, element("summary", {}, count(headers.length, "header")),
      element("table", { class: "headers" }, element("tbody", {}, ...headers.map(([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)))))),
    body ? element("div", { class: "body" }, copyButton(pretty(body), `the body of the ${title.toLowerCase()}`),
      element("pre", { tabindex: "0", role: "region", "aria-label": `Body of the ${title.toLowerCase()}` }, pretty(body)))
    : element("p", { class: "note" }, length > 0 ? `A body of ${length.toLocaleString("en")} bytes, which is not shown: it is a page, not text, or longer than 16 KiB.` : "No body."));
}

/** A form that sends a request again, edited, with the token of this page. */
function again(request) {
  const method = choice(METHODS.map((name) => [name, name]), { id: "again-method" });
  method.value = request.method;
  const address = element("input", { id: "again-address", required: true, pattern: "/.*", title: "a path, and a query", value: request.path + (request.query ? `?${request.query}` : "") });
  const type = element("input", { id: "again-type", value: request.request.headers.find(([name]) => name === "content-type")?.[1] ?? "" });
  const body = element("textarea", { id: "again-body", rows: 6, spellcheck: "false" });
  body.value = pretty(request.request.body ?? "");
  const answer = element("div", { id: "again-answer", role: "status" });
  const send = attempt(async () => {
    const url = new URL(address.value, location.origin);
    if (url.origin !== location.origin) throw new Error("Write a path of this sandbox.");
    const hasBody = body.value !== "" && !["GET", "HEAD"].includes(method.value);
    const headers = { ...authorization(), ...(hasBody && type.value ? { "Content-Type": type.value } : {}) };
    const response = await fetch(url, { method: method.value, headers, body: hasBody ? body.value : undefined });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const text = isStream ? "A stream of events: it is not read here." : pretty(await response.text());
    if (isStream) await response.body.cancel();
    answer.replaceChildren(statusChip({ status: response.status }), text ? element("pre", { tabindex: "0", role: "region", "aria-label": "Answer" }, text) : "");
  });
  const isMasked = (address.value + body.value).includes("***");
  return element("details", { class: "command" }, element("summary", {}, "Send again, edited"), element("form", { onsubmit: send },
    element("div", { class: "fields" }, labelled("Method", method), labelled("Address", address), labelled("Content type", type)), labelled("Body", body),
    isMasked && element("p", { class: "note" }, "The journal masks secrets: write them in the place of ***."),
    element("p", { class: "note" }, credentials()),
    element("p", { class: "actions" }, element("button", { class: "primary", id: "again-send" }, "Send"))), answer);
}

export default function requests(root) {
  let open;
  let addresses;
  let all = [];
  let most = SHOWN;
  const refilter = () => { most = SHOWN; show(); };
  const search = element("input", { type: "search", placeholder: "path, query or fault", oninput: refilter });
  const method = choice([["", "all"], ...METHODS.map((name) => [name, name])], { onchange: refilter });
  const result = choice(RESULTS, { onchange: refilter });
  const list = table("Requests, newest first", [["No."], ["Request"], ["Status"], ["ms", "wide number"], ["When", "wide"]]);
  list.body.id = "requests";
  const empty = element("p", { class: "empty" });
  const more = element("button", { type: "button", onclick: () => { most += SHOWN; show(); } }, "Show more");
  const detail = element("section", { class: "detail", "aria-label": "Request", hidden: true });
  const split = element("div", { class: "split" }, element("section", { class: "list" },
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, labelled("Search", search), labelled("Method", method), labelled("Result", result)),
    list.whole, empty, element("p", { class: "actions" }, more)), detail);
  root.append(split);

  const load = coalesced(async () => {
    all = (await ask("GET", "/sandbox/requests")).requests.reverse();
    show();
    if (open) await loadOne();
  });

  function fits(request) {
    const text = `${request.path}?${request.query ?? ""} ${request.fault ?? ""} ${request.template}`.toLowerCase();
    return (!method.value || request.method === method.value) && text.includes(search.value.trim().toLowerCase())
      && (!result.value || (result.value === "fault" ? met(request) : result.value === "errors" ? request.hasGraphqlErrors : String(request.status).startsWith(result.value)));
  }

  function show() {
    const found = all.filter(fits);
    reconcile(list.body, found.slice(0, most), (request) => request.number, row);
    more.hidden = found.length <= most;
    empty.textContent = found.length > 0 ? "" : all.length > 0 ? "No request fits." : "No request has come yet.";
    mark();
  }

  function row(request) {
    return element("tr", {}, element("td", { class: "number" }, String(request.number)), element("th", { scope: "row" }, link(request)),
      element("td", {}, statusChip(request), met(request) ? element("span", { class: "chip bad", title: request.fault }, "⚡ fault") : undefined),
      element("td", { class: "wide number" }, String(request.milliseconds)), element("td", { class: "wide time" }, when(request.at, "real")));
  }

  function mark() {
    for (const row of list.body.querySelectorAll("a.row")) {
      if (open && row.hash === `#/requests/${open}`) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  async function loadOne() {
    const wanted = open;
    try {
      const request = await ask("GET", `/sandbox/requests/${encodeURIComponent(wanted)}`);
      addresses ??= await serverAddresses();
      if (open === wanted) reconcile(detail, [request], (one) => one.number, one);
    } catch (error) {
      if (![400, 404].includes(error.status) || open !== wanted) throw error;
      reconcile(detail, [{ gone: wanted }], (one) => one.gone, () => element("div", {}, close(), element("p", { class: "empty" }, "The journal does not have this request any more.")));
    }
  }

  const close = () => element("a", { class: "close", href: "#/requests", "aria-label": "Close" }, "✕");

  function one(request) {
    const address = request.path + (request.query ? `?${request.query}` : "");
    const operation = request.operation ? `${request.operation.method} ${request.operation.path}` : undefined;
    const fault = new URLSearchParams(operation ? { operation } : { method: request.method, path: request.path });
    return element("div", {}, close(),
      element("h2", { class: "path" }, element("span", { class: "method" }, request.method), " ", element("bdi", {}, address)),
      element("p", { class: "summary" }, statusChip(request), ` ${request.milliseconds} ms · `, when(request.at, "real"), ` · number ${request.number}`),
      element("p", { class: "actions" }, copyButton(() => curl(request, addresses[request.server]), "the request as curl", "Copy as curl"), copyButton(address, "the address", "Copy address"),
        element("a", { class: "button", href: `#/faults/${encodeURIComponent(fault)}` }, "Add a fault for it")),
      element("h3", {}, "Answered by"), answered(request),
      element("details", { class: "command" }, element("summary", {}, "As curl"), element("pre", { id: "curl", tabindex: "0", role: "region", "aria-label": "Command" }, curl(request, addresses[request.server]))),
      canRepeat(request) && again(request),
      message("Request", request.request), message("Response", request.response));
  }

  return {
    title: "Requests",
    update: load,
    show([number]) {
      open = number;
      split.classList.toggle("open", Boolean(open));
      detail.hidden = !open;
      if (!open) reconcile(detail, [], String, String);
      mark();
      if (open) load(true);
    },
    back() {
      if (!open) return;
      const left = open;
      location.hash = "#/requests";
      list.body.querySelector(`a.row[href$="/${CSS.escape(left)}"]`)?.focus();
    },
  };
}
