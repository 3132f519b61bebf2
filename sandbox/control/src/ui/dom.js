// DOM elements, and functions that all parts of the console share. Texts become text nodes, never markup.

import { written } from "./json.js";

/** An element with attributes and children. A child that is not there is left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const content = document.getElementById("content");

const notices = element("div", { id: "notices", role: "status" });
document.body.append(notices);

/** Says something for a while, to ears as well. */
export function notify(text, kind = "done") {
  const notice = element("p", { class: `notice ${kind}` }, text);
  notices.replaceChildren(notice);
  setTimeout(() => notice.remove(), kind === "failed" ? 8000 : 2500);
}

/** Does what a button is for, and says what went wrong. */
export function attempt(work, done) {
  return async (event) => {
    event?.preventDefault?.();
    try {
      await work(event);
      if (done) notify(done);
    } catch (error) {
      notify(String(error.message ?? error), "failed");
    }
  };
}

export async function copy(text, what) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyPlainly(text);
  notify(`Copied ${what}`);
}

/** A page of another host than loopback has no clipboard to write to, but a selection to copy. */
function copyPlainly(text) {
  const area = element("textarea", { "aria-hidden": "true" });
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("The browser does not let this page copy.");
}

/** A button that copies a text, or what a function makes. */
export function copyButton(text, what, label = "Copy") {
  const is = label === "Copy";
  const attributes = { type: "button", class: is ? "copy" : "", "aria-label": is ? `Copy ${what}` : undefined };
  attributes.onclick = attempt((event) => {
    event.stopPropagation();
    return copy(typeof text === "function" ? text() : text, what);
  });
  return element("button", { ...attributes, title: `Copy ${what}` }, is ? icon("copy") : label);
}

const ICONS = {
  copy: "M8 8h10v12H8z M6 16H4V4h10v2",
};

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawn = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", width: 14, height: 14, "aria-hidden": true })) {
    drawn.setAttribute(key, value);
  }
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name]);
  drawn.append(path);
  return drawn;
}

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A GUID by its first and last letters; other texts by their beginning. */
export function short(id) {
  const text = String(id);
  if (GUID.test(text)) return `${text.slice(0, 8)}…${text.slice(-4)}`;
  return text.length > 40 ? `${text.slice(0, 38)}…` : text;
}

/** A short identifier with the whole one to copy. */
export function identifier(id, what = "identifier") {
  return element("span", { class: "id" }, element("code", { title: id }, short(id)), copyButton(String(id), what));
}

/** The number of segments in front that name no collection: `/api/FAMILY/v1`, `/api/v1`, `/v1` or `/api`. */
function shared(parts) {
  const from = parts[0] === "api" ? 1 : 0;
  const isVersion = (part) => /^v\d+$/.test(part ?? "");
  const behind = isVersion(parts[from]) ? from + 1 : from === 1 && isVersion(parts[2]) ? 3 : from;
  return parts.length > behind ? behind : 0;
}

/** The segments of an address, without what all of a family share, and with short identifiers. */
export function segments(address) {
  const parts = address.split("/").filter(Boolean);
  return parts.slice(shared(parts)).map((part) => short(safely(part)));
}

/** A percent-encoded text; as it is where it is not one. */
export function safely(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A path and its query with short identifiers, and no more of the query than fits. */
export function shortPath(path, query) {
  const shown = path.split("/").map((part) => GUID.test(part) ? short(part) : part).join("/");
  const all = query ? `${shown}?${query}` : shown;
  return all.length > 90 ? `${all.slice(0, 88)}…` : all;
}

/** The family of an address: FAMILY of `/api/FAMILY/v1`, else the first segment that is not shared. */
export function family(address) {
  const parts = address.split("/").filter(Boolean);
  const from = shared(parts);
  return parts[from === 3 ? 1 : from] ?? "";
}

/** The end of an address, whose whole is its title. */
export function place(address, kept = 2) {
  const parts = segments(address);
  const shown = parts.slice(-kept).join(" / ");
  return element("span", { class: "place", title: address }, parts.length > kept ? `… / ${shown}` : shown);
}

/** A state with a sign of its own, so that colour is not all. */
const SIGNS = { Queued: "◷", Running: "▶", Succeeded: "✓", Failed: "✕", Cancelled: "⊘" };
export function stateChip(state) {
  return element("span", { class: `chip state-${state}` }, element("span", { "aria-hidden": "true" }, SIGNS[state] ?? "•"), ` ${state}`);
}

/** The status of a request of the journal. GraphQL answers an error with 200. */
export function statusChip({ status, hasGraphqlErrors }) {
  return element("span", { class: `chip status-${hasGraphqlErrors ? 4 : String(status)[0]}` }, hasGraphqlErrors ? `${status}, errors` : String(status));
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** The rest of a part of the console between two looks at changes, in milliseconds. */
const REST = 250;

/** Calls again when the running call has ended and a rest is over, however often it is asked meanwhile. A person does not wait. */
export function coalesced(work) {
  let running = false;
  let again = false;
  let wake;
  return async (isAsked = false) => {
    again = true;
    if (isAsked === true) wake?.();
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        await work();
        await new Promise((resolve) => {
          wake = resolve;
          setTimeout(resolve, REST);
        });
      }
    } catch (error) {
      notify(String(error.message ?? error), "failed");
    } finally {
      running = false;
    }
  };
}

/**
 * Shows a list of things as children of a parent. An unchanged thing keeps its element, and so focus and selection.
 */
export function reconcile(parent, things, key, build) {
  const known = (parent.shown ??= new Map());
  const wanted = new Map();
  let refocus;
  for (const thing of things) {
    const name = String(key(thing));
    const text = written(thing);
    const old = known.get(name);
    if (old?.text === text) {
      wanted.set(name, old);
      continue;
    }
    const node = build(thing);
    if (old?.node.contains(document.activeElement)) {
      const place = [...old.node.querySelectorAll("a, button")].indexOf(document.activeElement);
      refocus = () => node.querySelectorAll("a, button")[place]?.focus();
    }
    wanted.set(name, { text, node });
  }
  for (const [name, { node }] of known) if (wanted.get(name)?.node !== node) node.remove();
  let next = parent.firstElementChild;
  for (const { node } of wanted.values()) {
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
  }
  parent.shown = wanted;
  refocus?.();
}

/** Arrow keys move between the rows of a list. */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches("a.row")) return;
    const rows = [...list.querySelectorAll("a.row")];
    const next = rows[rows.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return list;
}

/** A table with a head, and the body to fill. Columns of the class `wide` are left out where there is no room. */
export function table(caption, columns) {
  const body = element("tbody");
  const head = columns.map(([name, kind = ""]) => element("th", { scope: "col", class: kind }, name));
  const whole = element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), arrows(body));
  return { whole, body };
}

export function labelled(label, control) {
  return element("label", { class: "field" }, element("span", {}, label), control);
}

export function choice(options, attributes = {}) {
  return element("select", attributes, ...options.map(([value, text]) => element("option", { value }, text)));
}

/** Asks before something is lost. True: go on. */
export function confirmed(question, action) {
  return new Promise((resolve) => {
    const dialog = element("dialog", { "aria-label": question },
      element("form", { method: "dialog" }, element("p", {}, question), element("p", { class: "actions" },
        element("button", { value: "no", autofocus: true }, "Keep"), element("button", { value: "yes", class: "danger" }, action))));
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
