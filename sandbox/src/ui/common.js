// What the pages share: elements, and a token that the authorization-code grant with PKCE gives.

const CLIENT = "sandbox-pages";
const ISSUER = "/identity";

/** An element with attributes and children. Text becomes text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export const content = document.getElementById("content");

export function token() {
  const held = JSON.parse(sessionStorage.getItem("token") ?? "null");
  return held && held.expires > Date.now() ? held.value : undefined;
}

/** The headers of a request with the token, if there is one. */
export function authorization() {
  const value = token();
  return value ? { Authorization: `Bearer ${value}` } : {};
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
  sessionStorage.setItem("login", JSON.stringify({ verifier, state, back: location.pathname }));
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

const who = document.getElementById("who");
if (location.hostname === "localhost") location.hostname = "127.0.0.1";
if (token()) {
  who.append("logged in ", element("button", { onclick: () => { sessionStorage.removeItem("token"); location.reload(); } }, "Forget the token"));
} else {
  who.append(element("button", { id: "log-in", onclick: logIn }, "Log in"));
}
