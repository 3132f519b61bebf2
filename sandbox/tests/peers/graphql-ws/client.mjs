// Queries, subscriptions and protocol errors with graphql-ws's own client, and subscriptions with graphql-sse's.
// Arguments: base URL, folder of the secret files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createClient } from "graphql-ws";
import { createClient as createSseClient } from "graphql-sse";
import WebSocket from "ws";

const [base, folder] = process.argv.slice(2);
const url = `${base.replace("http", "ws")}/graphql`;

async function post(path, body, headers) {
  const answer = await fetch(base + path, { method: "POST", body, headers });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.status === 204 ? undefined : answer.json();
}

const secret = readFileSync(`${folder}/aurora-automation.secret`, "utf8").trim();
const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "aurora-automation", client_secret: secret, scope: "api" });
const { access_token: token } = await post("/identity/connect/token", form);
const json = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
const client = (connectionParams, more = {}) =>
  createClient({ url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0, lazy: true, ...more });

async function deploy() {
  const project = await post("/api/projects/v1/projects", JSON.stringify({ name: "p" }), json);
  const component = await post(`/api/projects/v1/projects/${project.id}/components`, JSON.stringify({ name: "c" }), json);
  const path = `/api/projects/v1/projects/${project.id}/components/${component.id}/deployments`;
  return (await post(path, JSON.stringify({ tag: "v1" }), json)).id;
}

async function collect(iterator) {
  const results = [];
  for await (const result of iterator) results.push(result);
  return results;
}

const changes = (id) => ({
  query: "subscription ($id: ID!) { operationChanged(id: $id) { event { sequence kind } operation { state } } }",
  variables: { id },
});
const sequences = (results) => results.map((result) => result.data.operationChanged.event.sequence);

const checks = {
  async "a query has one result"() {
    const socket = client({ Authorization: `Bearer ${token}` });
    const results = await collect(socket.iterate({ query: "{ viewer { subject } }" }));
    assert.deepEqual(results, [{ data: { viewer: { subject: "aurora-automation" } } }]);
    await socket.dispose();
  },
  async "a subscription tells every change and completes"() {
    const socket = client({ Authorization: `Bearer ${token}` }, { keepAlive: 20 });
    const id = await deploy();
    assert.deepEqual(sequences(await collect(socket.iterate(changes(id)))), [2, 3, 4]);
    await socket.dispose();
  },
  async "many subscriptions share one socket"() {
    let opened = 0;
    const socket = client({ Authorization: `Bearer ${token}` }, { on: { connected: () => { opened += 1; } } });
    const ids = await Promise.all(Array.from({ length: 20 }, deploy));
    const results = await Promise.all(ids.map((id) => collect(socket.iterate(changes(id)))));
    assert.equal(opened, 1);
    for (const result of results) assert.equal(sequences(result).at(-1), 4);
    await socket.dispose();
  },
  async "an invalid query is an error of that query"() {
    const socket = client({ Authorization: `Bearer ${token}` });
    await assert.rejects(collect(socket.iterate({ query: "{ nothing }" })), (errors) => Array.isArray(errors) && errors[0].message.length > 0);
    assert.equal((await collect(socket.iterate({ query: "{ viewer { subject } }" }))).length, 1);
    await socket.dispose();
  },
  async "a wrong token is 4403 and a missing one 4401"() {
    for (const [parameters, code] of [[{ Authorization: "Bearer a.b.c" }, 4403], [undefined, 4401]]) {
      await assert.rejects(collect(client(parameters).iterate({ query: "{ viewer { subject } }" })), (event) => event.code === code);
    }
  },
  async "a subscription that is given up ends, and the socket goes on"() {
    const socket = client({ Authorization: `Bearer ${token}` });
    const iterator = socket.iterate({ query: "subscription { operationsChanged { operation { id } } }" });
    setTimeout(deploy, 50);
    assert.ok((await iterator.next()).value.data.operationsChanged.operation.id);
    await iterator.return();
    assert.equal((await collect(socket.iterate({ query: "{ viewer { subject } }" }))).length, 1);
    await socket.dispose();
  },
  async "graphql-sse hears the same"() {
    const events = createSseClient({ url: `${base}/graphql/stream`, headers: { Authorization: `Bearer ${token}` }, retryAttempts: 0 });
    const id = await deploy();
    assert.deepEqual(sequences(await collect(events.iterate(changes(id)))), [2, 3, 4]);
    assert.deepEqual(await collect(events.iterate({ query: "{ viewer { subject } }" })), [{ data: { viewer: { subject: "aurora-automation" } } }]);
    events.dispose();
  },
};

for (const name of ["graphql-ws", "graphql-sse", "ws"]) {
  console.log(name, JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version);
}
for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log("ok", name);
}
