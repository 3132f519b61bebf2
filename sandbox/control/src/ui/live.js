// Live data of the sandbox, and requests to its control interface.

import { element } from "./dom.js";
import { read, written } from "./json.js";

const listeners = new Set();
let stream;
let received = 0;

/** The newest state; undefined until it is there. */
export let state;
/** True while the sandbox answers. */
export let connected = false;

/** Calls with every new state, beginning with the present one. */
export function listen(listener) {
  listeners.add(listener);
  if (state) listener(state);
}

function tell() {
  for (const listener of listeners) listener(state);
}

function open() {
  stream ??= new EventSource("/sandbox/events");
  stream.onopen = () => {
    connected = true;
    if (state) tell();
  };
  stream.onerror = () => {
    connected = false;
    if (state) tell();
  };
  stream.addEventListener("state", (event) => {
    state = read(event.data);
    received = performance.now();
    connected = true;
    tell();
  });
}

// A hidden page holds no connection: a browser has six for all pages of a server.
function follow() {
  if (document.visibilityState === "visible") open();
  else {
    stream?.close();
    stream = undefined;
  }
}
document.addEventListener("visibilitychange", follow);
follow();

/** The time of the clock of asynchronous work, in milliseconds since the epoch. */
export function now() {
  if (!state) return Date.now();
  return Math.min(Date.parse(state.clock) + (performance.now() - received) * state.pace, 253402300799999);
}

export function moment(milliseconds) {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString().replace("T", " ").replace("Z", "");
}

/** A span of time with two letters of precision: `1.2 s`, `3 min`. */
export function span(milliseconds) {
  const length = Math.abs(milliseconds);
  for (const [unit, size] of [["d", 86400000], ["h", 3600000], ["min", 60000]]) {
    if (length >= size) return `${Math.floor(length / size)} ${unit}`;
  }
  return length >= 10000 ? `${Math.floor(length / 1000)} s` : length >= 1000 ? `${(length / 1000).toFixed(1)} s` : `${Math.round(length)} ms`;
}

function relative(milliseconds) {
  if (Math.abs(milliseconds) < 1000) return milliseconds > 0 ? "in a moment" : "now";
  const whole = span(Math.sign(milliseconds) * Math.floor(Math.abs(milliseconds) / 1000) * 1000).replace(".0", "");
  return milliseconds > 0 ? `in ${whole}` : `${whole} ago`;
}

/** A moment as it is from now, by the sandbox's clock or by the wall's. The moment itself is its title. */
export function when(text, clock = "sandbox") {
  const shown = element("time", { datetime: text, title: `${text} (${clock === "sandbox" ? "clock of asynchronous work" : "real time"})`, "data-clock": clock });
  age(shown);
  return shown;
}

function age(shown) {
  const at = Date.parse(shown.dateTime);
  const text = Number.isNaN(at) ? shown.dateTime : relative(at - (shown.dataset.clock === "sandbox" ? now() : Date.now()));
  if (shown.textContent !== text) shown.textContent = text;
}

export function ageAll() {
  document.querySelectorAll("time[data-clock]").forEach(age);
}

/** Asks the control interface, and returns the text of the answer. A refusal is an error with the reason. */
export async function askText(method, path, body) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : written(body) });
  const text = await response.text();
  if (response.ok) return text;
  const answer = text && response.headers.get("content-type")?.includes("json") ? read(text) : undefined;
  const detail = answer?.detail ?? `${response.status} ${response.statusText}`;
  const complaints = Object.entries(answer?.errors ?? {}).map(([at, messages]) => `${at}: ${messages.join(" ")}`);
  // For a single place, the detail is the same text.
  const error = new Error([detail, ...complaints.filter((complaint) => complaint !== detail)].join("\n"));
  error.status = response.status;
  throw error;
}

/** Asks as `askText` does, and returns the value of the answer. */
export async function ask(method, path, body) {
  const text = await askText(method, path, body);
  return text === "" ? undefined : read(text);
}

export const query = (path, parameters) => `${path}?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value !== undefined))}`;
