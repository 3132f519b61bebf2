// Independent servers, on loopback, and their addresses as one line of JSON.
import http from 'node:http';
import { useServer } from 'graphql-ws/use/ws';
import { createSchema, createYoga } from 'graphql-yoga';
import * as mockttp from 'mockttp';
import { Provider } from 'oidc-provider';
import { WebSocketServer } from 'ws';

const secret = process.env.PEERS_SECRET;

function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

async function oidc() {
  let handle;
  const server = http.createServer((request, response) => handle(request, response));
  const issuer = await listen(server);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'service',
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        client_id: 'app',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/callback'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: false },
    },
    scopes: ['openid', 'offline_access', 'api'],
    routes: { token: '/connect/token' },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 2, ClientCredentials: 2, RefreshToken: 600, Session: 600, Grant: 600, Interaction: 600 },
    cookies: { keys: ['of the test'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  const next = provider.callback();
  handle = async (request, response) => {
    try {
      if (request.url === '/x') {
        const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
        const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
        response.writeHead(found ? 200 : 401, { 'content-type': 'application/json' });
        response.end('{}');
      } else if (request.url.startsWith('/interaction/')) {
        // The user logs in, and grants the requested scopes.
        const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
        let result = { login: { accountId: 'ada' } };
        if (prompt.name === 'consent') {
          const grant =
            (grantId && (await provider.Grant.find(grantId))) ||
            new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
          grant.addOIDCScope(params.scope);
          result = { consent: { grantId: await grant.save() } };
        }
        await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
      } else {
        next(request, response);
      }
    } catch (error) {
      response.writeHead(500);
      response.end(String(error));
    }
  };
  return issuer;
}

async function graphql() {
  const schema = createSchema({
    typeDefs: 'type Query { hello(name: String!): String! } type Subscription { count(to: Int!): Int! }',
    resolvers: {
      Query: { hello: (_, { name }) => `hello ${name}` },
      Subscription: {
        count: {
          subscribe: async function* (_, { to }) {
            for (let count = 1; count <= to; count += 1) yield { count };
          },
        },
      },
    },
  });
  const allowed = (value) => value === `Bearer ${secret}`;
  const yoga = createYoga({ schema, logging: false, maskedErrors: false });
  const server = http.createServer((request, response) => {
    if (allowed(request.headers.authorization)) return yoga(request, response);
    response.writeHead(401);
    return response.end();
  });
  const sockets = new WebSocketServer({ server, path: '/graphql' });
  useServer({ schema, onConnect: ({ connectionParams }) => allowed(connectionParams?.Authorization) || allowed(connectionParams?.authorization) }, sockets);
  return listen(server);
}

async function faults() {
  const server = mockttp.getLocal();
  await server.start();
  for (const rule of [(path) => server.forGet(path), (path) => server.forPost(path)]) {
    await rule('/reset').thenResetConnection();
    await rule('/close').thenCloseConnection();
    await rule('/silent').thenTimeout();
    await rule('/short').thenReply(200, 'cut', { 'content-length': '50' });
    await rule('/long').thenReply(200, '"1234567890"', { 'content-length': '5' });
    await rule('/ok').thenReply(200, '{}', { 'content-type': 'application/json' });
  }
  return server.url.replace('localhost', '127.0.0.1');
}

const addresses = { oidc: await oidc(), graphql: await graphql(), faults: await faults() };
console.log(JSON.stringify(addresses));
