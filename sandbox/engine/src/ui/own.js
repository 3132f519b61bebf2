// The parts of the console that belong to a sandbox for any contract.

import { element, labelled } from "./dom.js";

export const BRAND = "driftless-sandbox";

/** A contract describes no work that goes on by itself. */
export const work = undefined;

export const RESETS = [["state", "State: items and values, as they began"], ["clock", "Clock: real time again"], ["faults", "Faults"],
  ["requests", "Requests and their counts"]];

export const CLOCK = "Tests hold it, set it and move it on.";

export const FAULTS = { path: "", hasFollowers: false, presets: [] };

export const OVERVIEW = {
  first: [["Each operation and its role", "#/explain"], [" are listed under Operations."]],
  note: "The sandbox infers from the contract which operations list, create, read, change and delete items. Items that no program has sent are marked as invented.",
};

/** A contract is served by one server. */
export const SERVERS = {};

export const serverAddresses = async () => ({});

/** No member of an item's description groups items. */
export const GROUP = undefined;

/** Every request is answered by an operation of the contract, or by none. */
export const answerer = () => undefined;

export const canRepeat = () => true;

const KEY = "credentials";

/** The headers that are sent with a request of this page. */
export function authorization() {
  const [name, ...value] = (sessionStorage.getItem(KEY) ?? "").split(":");
  return value.length > 0 ? { [name.trim()]: value.join(":").trim() } : {};
}

export const credentials = () => "It is sent with the header in the menu, if there is one.";

const header = element("input", { id: "credentials", placeholder: "x-api-key: any", value: sessionStorage.getItem(KEY) ?? "", autocomplete: "off",
  oninput: () => sessionStorage.setItem(KEY, header.value) });
document.getElementById("who").append(labelled("Header of requests that are sent again", header));
