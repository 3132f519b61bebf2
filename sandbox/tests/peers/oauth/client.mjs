// Discovery, client credentials, authorization code with PKCE, refresh and revocation with oauth4webapi, which checks every
// answer against the RFCs. Arguments: base URL, folder of the secret and password files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as oauth from "oauth4webapi";

const [base, folder] = process.argv.slice(2);
const insecure = { [oauth.allowInsecureRequests]: true };
const read = (name) => readFileSync(`${folder}/${name}`, "utf8").trim();
const issuer = new URL(`${base}/identity`);
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
const robot = { client_id: "aurora-automation" };
const cli = { client_id: "platform-cli" };
const redirect = "http://127.0.0.1:49999/callback";

async function projects(token) {
  const answer = await fetch(`${base}/api/projects/v1/projects`, { headers: { Authorization: `Bearer ${token}` } });
  return answer.status;
}

/** Follows redirects by hand, as a browser with a cookie does, until one leaves the server. */
async function logIn(address) {
  let answer = await fetch(address, { redirect: "manual" });
  const login = new URL(answer.headers.get("location"), base);
  const form = new URLSearchParams({ user: "ada", password: read("ada.password"), returnUrl: login.searchParams.get("returnUrl") });
  answer = await fetch(new URL(login.pathname, base), { method: "POST", body: form, redirect: "manual" });
  const cookie = answer.headers.get("set-cookie").split(";")[0];
  answer = await fetch(new URL(answer.headers.get("location"), base), { headers: { cookie }, redirect: "manual" });
  return new URL(answer.headers.get("location"));
}

async function authorize(scope) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint);
  for (const [name, value] of Object.entries({
    client_id: cli.client_id, redirect_uri: redirect, response_type: "code", scope, state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
  })) address.searchParams.set(name, value);
  const answer = oauth.validateAuthResponse(server, cli, await logIn(address), state);
  return oauth.processAuthorizationCodeResponse(server, cli, await oauth.authorizationCodeGrantRequest(
    server, cli, oauth.None(), answer, redirect, verifier, insecure));
}

const refused = (code, status) => (error) => error instanceof oauth.ResponseBodyError && error.error === code && error.status === status;
const checks = {
  async "client credentials by either method, and a wrong secret"() {
    for (const method of [oauth.ClientSecretPost, oauth.ClientSecretBasic]) {
      const request = (secret) => oauth.clientCredentialsGrantRequest(server, robot, method(secret), { scope: "api" }, insecure);
      const granted = await oauth.processClientCredentialsResponse(server, robot, await request(read("aurora-automation.secret")));
      assert.equal(await projects(granted.access_token), 200);
      await assert.rejects(async () => oauth.processClientCredentialsResponse(server, robot, await request("wrong")), refused("invalid_client", 400));
    }
  },
  async "access tokens are those of RFC 9068"() {
    const request = await oauth.clientCredentialsGrantRequest(server, robot, oauth.ClientSecretPost(read("aurora-automation.secret")), { scope: "api" }, insecure);
    const granted = await oauth.processClientCredentialsResponse(server, robot, request);
    const carried = new Request(`${base}/api`, { headers: { Authorization: `Bearer ${granted.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, carried, "api", insecure);
    assert.equal(claims.sub, robot.client_id);
  },
  async "authorization code with PKCE, refresh and rotation, revocation"() {
    const granted = await authorize("api offline_access");
    assert.equal(await projects(granted.access_token), 200);
    const refresh = async (token) => oauth.processRefreshTokenResponse(server, cli, await oauth.refreshTokenGrantRequest(server, cli, oauth.None(), token, insecure));
    const next = await refresh(granted.refresh_token);
    assert.notEqual(next.refresh_token, granted.refresh_token);
    assert.equal(await projects(next.access_token), 200);
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, cli, oauth.None(), next.refresh_token, insecure));
    await assert.rejects(refresh(next.refresh_token), refused("invalid_grant", 400));
  },
};

console.log("oauth4webapi", JSON.parse(readFileSync(new URL("node_modules/oauth4webapi/package.json", import.meta.url))).version);
for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log("ok", name);
}
