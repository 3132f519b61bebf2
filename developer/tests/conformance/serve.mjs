// Serves the subscriptions of a schema over a WebSocket (graphql-ws) and over server-sent events (graphql-sse).
// Arguments: schema file (SDL), answers for each subscription, folder of node_modules.
// Prints its port, then a line of JSON for each answer: operation, answer as text. It ends when its input ends.
import http from 'node:http'
import { packages, random } from './random.mjs'
const [schemaFile, count, modules] = process.argv.slice(2)
const { graphql, schema, value, unseen, plain } = random(schemaFile, modules)
const { isObjectType, isAbstractType, getOperationAST } = graphql
const load = packages(modules)
const { WebSocketServer } = load('ws')
const { useServer } = load('graphql-ws/use/ws')
const { createHandler } = load('graphql-sse/lib/use/http')
for (const type of Object.values(schema.getTypeMap())) {
  if (type.name.startsWith('__')) continue
  if (isAbstractType(type)) type.resolveType = (it) => it['@type']
  if (isObjectType(type)) {
    for (const field of Object.values(type.getFields())) field.resolve = () => value(field.type)
  }
}
for (const field of Object.values(schema.getSubscriptionType().getFields())) {
  field.subscribe = async function* () { for (let turn = 0; turn < Number(count); turn += 1) yield {} }
}
const said = (document, result) => {
  if (result.errors) throw result.errors[0]
  unseen(result.data)
  const operation = getOperationAST(document).name.value
  console.log(JSON.stringify({ operation, data: plain(JSON.stringify(result.data)) }))
  return result
}
const events = createHandler({
  schema,
  onOperation: (_ctx, req, args) => { req.context.asked = args.document },
  onNext: (_ctx, req, result) => said(req.context.asked, result),
})
const server = http.createServer((req, res) => {
  const write = res.write.bind(res)
  res.write = (chunk, ...rest) => write(plain(String(chunk)), ...rest)
  events(req, res)
})
const sockets = new WebSocketServer({ server, path: '/graphql' })
sockets.on('connection', (socket) => {
  const send = socket.send.bind(socket)
  socket.send = (text, ...rest) => send(plain(String(text)), ...rest)
})
useServer({ schema, onNext: (_ctx, _id, _payload, args, result) => said(args.document, result) }, sockets)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit(0))
