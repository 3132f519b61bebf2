// The settings of the issuer, which apply to everything that it issues from now on.

import { attempt, choice, element, labelled, notify } from "./dom.js";
import { ask } from "./live.js";

const number = (id, attributes = {}) => element("input", { id, type: "number", min: 0, max: 2147483647, required: true, ...attributes });

export default function issuer(root) {
  const inputs = {
    tokenLifetimeSeconds: number("token-lifetime"),
    refreshLifetimeSeconds: number("refresh-lifetime"),
    refreshPolicy: choice([["rolling", "rolling: each use gives a new one"], ["reused", "reused: it stays"]], { id: "refresh-policy", onchange: () => policy() }),
    refreshLeewaySeconds: number("refresh-leeway"),
    errorStyle: choice([["duende", "Duende: every error is a 400"], ["openiddict", "OpenIddict: invalid_client is a 401"]], { id: "error-style" }),
    apiTokenFormat: choice([["opaque", "opaque"], ["jwt", "JWT"]], { id: "api-token-format" }),
    clockSkewSeconds: number("clock-skew", { min: -2147483647 }),
  };
  const labels = {
    tokenLifetimeSeconds: "Access tokens live for (s)", refreshLifetimeSeconds: "Refresh tokens live for (s)", refreshPolicy: "Refresh tokens",
    refreshLeewaySeconds: "A used one is accepted again for (s)", errorStyle: "Errors of the token endpoint", apiTokenFormat: "API tokens", clockSkewSeconds: "The issuer's clock is ahead by (s)",
  };
  const problem = element("p", { class: "problem", role: "alert" });
  const act = (body, done) => attempt(() => ask("POST", "/sandbox/issuer", body), done);
  root.append(element("form", { id: "issuer", class: "card", onsubmit: save }, element("h2", {}, "Settings"),
    element("div", { class: "fields" }, ...Object.entries(inputs).map(([name, input]) => labelled(labels[name], input))), problem,
    element("p", { class: "actions" }, element("button", { class: "primary", id: "issuer-save" }, "Save"))),
  element("section", { class: "card" }, element("h2", {}, "Keys and tokens"), element("p", { class: "actions" },
    element("button", { type: "button", id: "rotate-key", onclick: act({ rotateKey: true }, "New tokens are signed with a new key") }, "Sign with a new key"),
    element("button", { type: "button", class: "danger", onclick: act({ retireOldKeys: true }, "Tokens of earlier keys are refused") }, "Refuse tokens of earlier keys"),
    element("button", { type: "button", class: "danger", onclick: act({ revokeRefreshTokens: true }, "Every refresh token is revoked") }, "Revoke refresh tokens"))));

  function policy() {
    inputs.refreshLeewaySeconds.disabled = inputs.refreshPolicy.value !== "rolling";
  }

  async function load() {
    const settings = await ask("GET", "/sandbox/issuer");
    for (const [name, input] of Object.entries(inputs)) input.value = settings[name] ?? "";
    policy();
  }

  async function save(event) {
    event.preventDefault();
    problem.textContent = "";
    const wanted = Object.entries(inputs).filter(([, input]) => !input.disabled)
      .map(([name, input]) => [name, input.type === "number" ? Number(input.value) : input.value]);
    try {
      await ask("POST", "/sandbox/issuer", Object.fromEntries(wanted));
      await load();
      notify("Saved");
    } catch (error) {
      problem.textContent = error.message;
    }
  }

  attempt(load)();
  return { title: "Issuer", update() {} };
}
