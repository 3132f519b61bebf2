// The walkthrough of sandbox/README.md in TypeScript: a person signs in, creates a project, deploys a workload and watches it,
// while this program drives the sandbox's clock. Argument: the file with the line that `platform-sandbox --json` prints.

import { readFileSync } from "node:fs";
import { createClient as createSubscriptions } from "graphql-sse";
import createClient from "openapi-fetch";
import * as oidc from "openid-client";
import type { paths as Platform } from "./contract.js";
import type { paths as Control } from "./control.js";

interface Sandbox {
  base_url: string;
  auth_url: string;
  graphql_url: string;
  users: { name: string; password_file: string }[];
}

const sandbox = JSON.parse(readFileSync(process.argv[2] ?? "sandbox.json", "utf8")) as Sandbox;
const control = createClient<Control>({ baseUrl: sandbox.base_url });

/** Signs a user in as a browser would: through the login form, and back to the redirect address with a code. */
async function signIn(name: string): Promise<string> {
  const user = sandbox.users.find((user) => user.name === name);
  if (!user) throw new Error(`the sandbox has no user ${name}`);
  const config = await oidc.discovery(new URL(sandbox.auth_url), "platform-cli", undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const redirect_uri = "http://127.0.0.1:53682/callback";
  let place = oidc.buildAuthorizationUrl(config, {
    redirect_uri, state, nonce, scope: "openid profile email api offline_access",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
  });
  let cookie = "";
  while (!place.href.startsWith(redirect_uri)) {
    const isLogin = place.pathname === "/identity/account/login";
    const form = new URLSearchParams({
      user: name,
      password: readFileSync(user.password_file, "utf8"),
      returnUrl: place.searchParams.get("returnUrl") ?? "",
    });
    const answer = await fetch(place, {
      redirect: "manual", headers: { cookie }, ...(isLogin ? { method: "POST", body: form } : {}),
    });
    cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const next = answer.headers.get("location");
    if (!next) throw new Error(`${place.pathname} answered ${answer.status}`);
    place = new URL(next, place);
  }
  const tokens = await oidc.authorizationCodeGrant(config, place, {
    pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true,
  });
  const claims = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? "");
  console.log(`signed in: ${claims.preferred_username}`);
  return tokens.access_token;
}

/** The answer of a call, or an error that says what went wrong. */
function answered<T>({ data, response }: { data?: T; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url} answered ${response.status}`);
  return data;
}

async function clock(body: { hold?: boolean; advanceMilliseconds?: number }): Promise<void> {
  const { response } = await control.POST("/sandbox/clock", { body });
  if (!response.ok) throw new Error(`the clock answered ${response.status}`);
}

interface Change {
  operationChanged: { event: { kind: string; state: string } };
}

const token = await signIn("ada");
const headers = { authorization: `Bearer ${token}` };
const platform = createClient<Platform>({ baseUrl: sandbox.base_url, headers });

const team = answered(await platform.GET("/api/teams/v1/teams"))[0];
if (!team?.id) throw new Error("the user has no team");
const accounts = await platform.GET("/api/teams/v1/teams/{teamId}/billing-accounts", { params: { path: { teamId: team.id } } });
const project = {
  teamId: team.id, teamBillingAccountId: answered(accounts)[0]?.id, storeItemPaymentPlanId: null, name: "Aurora",
  description: "Made by a sample", category: "research", helpPage: "", serviceProviders: [],
};

// A rule for the next creation only: the first attempt fails, the second one works.
await control.POST("/sandbox/faults", {
  body: { match: { operation: "POST /api/projects/v1/projects" }, times: 1, fault: "status=503, retry-after=1" },
});
const create = () => platform.POST("/api/projects/v1/projects", { body: project });
const refused = await create();
console.log(`created: ${refused.response.status}, retry after ${refused.response.headers.get("retry-after")} s`);
const created = await create();
const project_id = String((answered(created) as Record<string, unknown>)["id"]);
console.log(`created: ${created.response.status}`);

const components = "/api/projects/v1/projects/{project_id}/components";
const component = answered(await platform.POST(components, { params: { path: { project_id } }, body: { name: "web" } }));

const subscriptions = createSubscriptions({ url: sandbox.graphql_url, headers });

/** Deploys the component, and watches until nothing more will happen. */
async function deploy(fault?: string): Promise<void> {
  await clock({ hold: true });
  const deployment = answered(await platform.POST(`${components}/{componentId}/deployments`, {
    params: { path: { project_id, componentId: component.id ?? "" } },
    headers: fault ? { "x-sandbox-fault": fault } : {},
    body: { tag: "v1" },
  }));
  console.log(`accepted: ${deployment.state}`);
  const changes = subscriptions.iterate<Change>({
    query: "subscription ($id: ID!) { operationChanged(id: $id) { event { kind state } } }",
    variables: { id: deployment.id },
  }, {
    // No event occurs before the clock advances, so none is missed.
    connected: () => void clock({ advanceMilliseconds: 600 }),
  });
  for await (const { data } of changes) {
    const event = data?.operationChanged.event;
    console.log(`  ${event?.kind}: ${event?.state}`);
  }
}

await deploy();
await deploy("outcome=failure");

const verified = await control.POST("/sandbox/requests/verify", {
  body: { match: { operation: "POST /api/projects/v1/projects", status: 503 }, times: 1 },
});
console.log(`the journal has the refused creation: ${verified.response.status === 200}`);
// The answers of the control interface have types.
const { operations } = answered(await control.GET("/sandbox/operations", { params: { query: { over: true } } }));
console.log(`operations: ${operations.map(({ state }) => state).join(", ")}`);
const { items } = answered(await control.GET("/sandbox/items", { params: { query: { collection: "/api/teams/v1/teams" } } }));
console.log(`teams: ${items.map(({ fields }) => fields?.["name"]).join(", ")}`);
await control.POST("/sandbox/reset", { body: {} });
console.log(`projects after the reset: ${answered(await platform.GET("/api/projects/v1/projects")).length}`);
