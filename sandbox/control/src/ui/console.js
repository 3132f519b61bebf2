// The console: its parts by the fragment of the address, the bar that shows clock and faults, and the keyboard.

import "./frame.js";
import { attempt, content, count, element, safely } from "./dom.js";
import { ageAll, ask, connected, listen, moment, now, state } from "./live.js";
import { BRAND, RESETS } from "./own.js";
import { PARTS } from "./parts.js";

let shown;
let part;

function route(moves) {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(safely);
  const wanted = PARTS[name] ? name : "";
  if (wanted !== part) {
    shown?.close?.();
    part = wanted;
    content.replaceChildren();
    shown = PARTS[part](content);
    if (state) shown.update(state);
    const title = document.querySelector("h1");
    title.textContent = shown.title;
    document.title = `${shown.title} · ${BRAND}`;
    if (moves) {
      title.tabIndex = -1;
      title.focus();
      scrollTo(0, 0);
    }
  }
  for (const link of document.querySelectorAll("#parts a")) {
    if (link.hash.replace(/^#\/?/, "") === part && link.pathname === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.body.classList.remove("menu");
  shown.show?.(rest);
}

// The bar.
const dot = element("span", { id: "live" });
const shownClock = element("a", { id: "clock", href: "#/clock" });
const shownFaults = element("a", { id: "faults-shown", href: "#/faults", hidden: true });
const reset = element("button", { type: "button", id: "reset", onclick: attempt(askReset) }, "Reset…");
document.getElementById("bar").append(dot, shownClock, shownFaults, reset);

function tick() {
  if (!state) return;
  const held = state.pace === 0;
  const pace = held ? " held" : state.pace === 1 ? "" : ` ×${state.pace}`;
  const text = `${moment(now()).slice(0, 19)}${pace}`;
  if (shownClock.textContent !== text) {
    shownClock.textContent = text;
    shownClock.setAttribute("aria-label", `Clock: ${text}`);
  }
  shownClock.classList.toggle("held", held);
}

listen((state) => {
  dot.textContent = connected ? "● live" : "○ the sandbox does not answer";
  dot.className = connected ? "" : "lost";
  const events = state.eventFaults.drop + state.eventFaults.duplicate;
  const waiting = state.faults.length + (events > 0 ? 1 : 0);
  shownFaults.hidden = waiting === 0;
  shownFaults.textContent = `⚡ ${count(waiting, "fault")} active`;
  tick();
  shown?.update(state);
  ageAll();
});
setInterval(() => {
  tick();
  ageAll();
  shown?.tick?.();
}, 250);

/** Asks what is to be reset. */
async function askReset() {
  const boxes = RESETS.map(([name, text]) => [name, element("input", { type: "checkbox", name, checked: true }), text]);
  const dialog = element("dialog", { "aria-labelledby": "reset-title" }, element("form", { method: "dialog" },
    element("h2", { id: "reset-title" }, "Reset to how the sandbox started"),
    ...boxes.map(([, box, text]) => element("label", { class: "box" }, box, ` ${text}`)),
    element("p", { class: "actions" }, element("button", { value: "no" }, "Cancel"),
      element("button", { value: "yes", class: "danger", id: "reset-now" }, "Reset"))));
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => { dialog.addEventListener("close", resolve); });
  dialog.remove();
  reset.focus();
  const only = boxes.filter(([, box]) => box.checked).map(([name]) => name);
  if (dialog.returnValue === "yes" && only.length > 0) await ask("POST", "/sandbox/reset", { only });
}

// The keyboard: `/` searches, Escape goes one step back, `?` says so.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const writes = event.target.matches?.("input, textarea, select");
  if (event.key === "Escape") {
    if (writes && event.target.type === "search" && event.target.value) return;
    if (writes) event.target.blur();
    else shown?.back?.();
  } else if (event.key === "/" && !writes) {
    event.preventDefault();
    document.querySelector("input[type=search]")?.focus();
  } else if (event.key === "?" && !writes) {
    showKeys();
  }
});

function showKeys() {
  const keys = [["/", "search"], ["↓ ↑", "the next and the previous row"], ["Enter", "open a row"], ["Escape", "close what is open"], ["?", "these keys"]];
  const dialog = element("dialog", { "aria-labelledby": "keys-title" }, element("form", { method: "dialog" },
    element("h2", { id: "keys-title" }, "Keys"),
    element("dl", { class: "pairs" }, ...keys.flatMap(([key, text]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)])),
    element("p", { class: "actions" }, element("button", {}, "Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener("hashchange", () => route(true));
route(false);
