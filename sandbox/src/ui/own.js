// The parts of the console that are the platform's.

import { authorization, token } from "./common.js";
import { ask } from "./live.js";
import * as work from "./work.js";

export { authorization, work };

export const BRAND = "Platform sandbox";

export const RESETS = [["state", "State: resources and operations, as the seed has them"], ["clock", "Clock: real time again"], ["faults", "Faults"],
  ["issuer", "Issuer: settings, sessions, refresh tokens, API tokens"], ["requests", "Requests and their counts"],
  ["contract", "Contract: the demand for a token"]];

export const CLOCK = "It drives asynchronous operations. Tokens do not follow it: the skew of the issuer's clock is for them.";

export const FAULTS = {
  path: "/api",
  hasFollowers: true,
  presets: [
    ["outcome=failure", "the operation that begins fails"],
    ["outcome=stall", "the operation that begins never ends"],
    ["outcome=silence", "the operation succeeds, its last event never comes"],
  ],
};

export const OVERVIEW = {
  first: [["Addresses and export lines", "#/addresses"], [" say how a program reaches this sandbox."]],
  note: "The platform document shows no status for a missing or expired token (here 401, empty, with a challenge) or for a " +
    "role that is not enough (here 403, empty), no states and no events: these are the sandbox's own choice.",
};

/** The servers beside the one of this page, as the journal names them, with the label of their requests. */
export const SERVERS = { compliance: "compliance" };

/** The member of an item's description that groups items: its name, its label, and the name of its value. */
export const GROUP = { member: "teamId", label: "Team", identifier: "team identifier" };

/** The part that answered a request, if it was no operation of the contract. */
export function answerer(request) {
  if (request.server === "compliance") return "the compliance server";
  if (request.operation) return undefined;
  const begins = (...paths) => paths.some((path) => request.path.startsWith(path));
  return begins("/identity", "/.well-known") ? "the issuer" : begins("/graphql", "/graphiql") ? "GraphQL" : begins("/swagger") ? "the contract" : undefined;
}

/** The addresses of `SERVERS`, by the same names. */
export async function serverAddresses() {
  const directory = await ask("GET", "/sandbox/directory");
  return Object.fromEntries(Object.keys(SERVERS).map((name) => [name, directory[name]]));
}

export const canRepeat = (request) => request.server === "platform";

/** The credentials with which a request is sent again. */
export const credentials = () => token() ? "It is sent with your token." : "It is sent without a token: log in first, if it needs one.";
