// Signs in with openid-client, which is certified by the OpenID Foundation and checks every answer: discovery, ID token with
// nonce and max_age, userinfo, refresh, form_post, introspection, revocation. Arguments: base URL, folder of the secrets.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as oidc from "openid-client";

const [base, folder] = process.argv.slice(2);
const read = (name) => readFileSync(`${folder}/${name}`, "utf8");
const redirect = "http://127.0.0.1:49999/callback";
const options = { execute: [oidc.allowInsecureRequests] };
const issuer = new URL(`${base}/identity`);
const dashboard = await oidc.discovery(issuer, "aurora-dashboard", read("aurora-dashboard.secret"), undefined, options);
const cli = await oidc.discovery(issuer, "platform-cli", undefined, oidc.None(), options);
let cookie = "";

/** Goes where a browser would go, and logs in where it is asked to. */
async function visit(address, init = {}) {
  const answer = await fetch(address, { ...init, redirect: "manual", headers: { cookie } });
  cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
  if (answer.status === 200) return answer.text();
  const next = new URL(answer.headers.get("location"), base);
  if (next.pathname === "/identity/account/login") {
    const form = new URLSearchParams({ user: "ada", password: read("ada.password"), returnUrl: next.searchParams.get("returnUrl") });
    return visit(`${next.origin}${next.pathname}`, { method: "POST", body: form });
  }
  return next.origin === base ? visit(next) : next;
}

async function signIn(config, parameters = {}, checks = {}) {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirect, scope: "openid profile email api offline_access", state, nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256", ...parameters,
  });
  let answer = await visit(address);
  if (typeof answer === "string") {
    const fields = [...answer.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
    answer = new Request(redirect, { method: "POST", body: new URLSearchParams(fields) });
  }
  return oidc.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true, ...checks,
  });
}

const checks = {
  async "an ID token with nonce, and the user's claims"() {
    for (const config of [dashboard, cli]) {
      const granted = await signIn(config);
      const claims = granted.claims();
      const user = await oidc.fetchUserInfo(config, granted.access_token, claims.sub);
      assert.deepEqual([user.preferred_username, user.email], ["ada", "ada@users.invalid"]);
    }
  },
  async "max_age and prompt"() {
    const before = (await signIn(dashboard)).claims().auth_time;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const after = (await signIn(dashboard, { max_age: "0" }, { maxAge: 10 })).claims().auth_time;
    assert.ok(after > before);
    await signIn(dashboard, { prompt: "login" });
    await signIn(dashboard, { prompt: "none" });
    cookie = "";
    await assert.rejects(signIn(dashboard, { prompt: "none" }), (error) => error.error === "login_required");
  },
  async "form_post"() {
    assert.equal((await signIn(dashboard, { response_mode: "form_post" })).token_type, "bearer");
  },
  async "refresh, introspection, revocation"() {
    const granted = await signIn(dashboard);
    const next = await oidc.refreshTokenGrant(dashboard, granted.refresh_token);
    assert.equal(next.claims().sub, granted.claims().sub);
    assert.equal((await oidc.tokenIntrospection(dashboard, next.access_token)).active, true);
    await oidc.tokenRevocation(dashboard, next.access_token);
    assert.equal((await oidc.tokenIntrospection(dashboard, next.access_token)).active, false);
  },
};

console.log("openid-client", JSON.parse(readFileSync(new URL("node_modules/openid-client/package.json", import.meta.url))).version);
for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log("ok", name);
}
