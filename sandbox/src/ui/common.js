// A token of the pages, from the authorization-code grant with PKCE.

import "./frame.js";
import { element } from "./dom.js";

export { content, element } from "./dom.js";

const CLIENT = "sandbox-pages";
const ISSUER = "/identity";

export function token() {
  const held = JSON.parse(sessionStorage.getItem("token") ?? "null");
  return held && held.expires > Date.now() ? held.value : undefined;
}

/** The headers of a request with the token, if there is one. */
export function authorization() {
  const value = token();
  return value ? { Authorization: `Bearer ${value}` } : {};
}

/** The claims of the token, which are not checked here. */
export function claims() {
  try {
    return JSON.parse(atob(token().split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return {};
  }
}

export function redirectUri() {
  return `http://127.0.0.1:${location.port}/sandbox/callback`;
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function logIn() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const state = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const back = location.pathname + location.search + location.hash;
  sessionStorage.setItem("login", JSON.stringify({ verifier, state, back }));
  const challenge = base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const query = new URLSearchParams({
    response_type: "code", client_id: CLIENT, redirect_uri: redirectUri(), scope: "api", state,
    code_challenge: challenge, code_challenge_method: "S256",
  });
  location.assign(`${ISSUER}/connect/authorize?${query}`);
}

export async function redeem(code, verifier) {
  const body = new URLSearchParams({
    grant_type: "authorization_code", client_id: CLIENT, code, redirect_uri: redirectUri(), code_verifier: verifier,
  });
  const response = await fetch(`${ISSUER}/connect/token`, { method: "POST", body });
  const granted = await response.json();
  if (!response.ok) throw new Error(granted.error_description);
  sessionStorage.setItem("token", JSON.stringify({ value: granted.access_token, expires: Date.now() + granted.expires_in * 1000 }));
}

// Redirect addresses of logins have this host.
if (location.hostname === "localhost") location.hostname = "127.0.0.1";
const who = document.getElementById("who");
if (token()) {
  who.append("Logged in", element("br"), element("button", { type: "button", onclick: () => { sessionStorage.removeItem("token"); location.reload(); } }, "Forget the token"));
} else {
  who.append(element("button", { type: "button", id: "log-in", onclick: logIn }, "Log in"));
}
