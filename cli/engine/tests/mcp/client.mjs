// A client by the official SDK. The only argument is the program that serves the tools.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const program = process.argv[2]
const file = new URL('node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(file))

async function connected(transport) {
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(transport)
  return client
}

function stdio(args) {
  const transport = new StdioClientTransport({ command: program, args, stderr: 'pipe' })
  let log = ''
  transport.stderr.on('data', (data) => (log += data))
  return { transport, log: () => log }
}

async function tools(client) {
  const all = []
  let cursor
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor })
    all.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}

const texts = (reply) => reply.content.map((block) => block.text)

// The same session on both transports.
async function session(client) {
  assert.equal(client.getServerVersion().name, 'example')
  assert.match(client.getInstructions(), /^The example has projects/)
  const listed = await tools(client)
  const names = listed.map((tool) => tool.name)
  assert.ok(names.includes('projects_create_project') && !names.includes('projects_delete_project'))

  // Each schema is one of JSON Schema 2020-12.
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  for (const tool of listed) ajv.compile(tool.inputSchema)

  const list = await client.callTool({ name: 'projects_list_projects', arguments: { count: 5000 } })
  let count = JSON.parse(texts(list)[0]).projects.length
  let note = texts(list)[1]
  while (note.includes('cursor')) {
    const cursor = /cursor "([^"]+)"/.exec(note)[1]
    const part = await client.callTool({ name: 'answer_part', arguments: { cursor } })
    count += JSON.parse(texts(part)[0]).length
    note = texts(part)[1]
  }
  assert.equal(count, 5000)

  const wrong = await client.callTool({ name: 'projects_get_project', arguments: { id: 7 } })
  assert.ok(wrong.isError && texts(wrong)[0].startsWith('Nothing was sent: /id is a number'))
  const refused = await client.callTool({ name: 'projects_delete_project', arguments: { id: 'x' } })
  assert.ok(refused.isError && texts(refused)[0].endsWith('--allow projects.delete_project'))
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no operation has the name/)

  const bytes = await client.callTool({ name: 'exports_download', arguments: { size: 3 } })
  assert.equal(bytes.content[0].resource.blob, 'Gxsb')

  const begun = await client.callTool({ name: 'exports_start_export', arguments: {} })
  assert.match(texts(begun)[1], /"export-1"/)
  const ended = await client.callTool({ name: 'operation_wait', arguments: { reference: 'export-1' } })
  assert.equal(JSON.parse(texts(ended)[0]).state, 'done')
  // The SDK forgets reports that arrive together with the answer, so this wait has no end.
  const progress = []
  const enough = new AbortController()
  const onprogress = (report) => {
    progress.push(report.progress)
    if (progress.length === 2) enough.abort()
  }
  const endless = { name: 'operation_wait', arguments: { reference: 'export-endless' } }
  await assert.rejects(client.callTool(endless, undefined, { onprogress, signal: enough.signal }))
  assert.deepEqual(progress, [1, 2])

  const abort = new AbortController()
  const slow = client.callTool({ name: 'faults_slow', arguments: {} }, undefined, { signal: abort.signal })
  // Another call shows that the server has read the first one.
  await client.callTool({ name: 'projects_list_projects', arguments: { count: 1 } })
  abort.abort()
  await assert.rejects(slow)
  const after = await client.callTool({ name: 'projects_list_projects', arguments: { count: 1 } })
  assert.equal(JSON.parse(texts(after)[0]).projects.length, 1)
}

{
  const { transport, log } = stdio(['--allow', '*:write'])
  const client = await connected(transport)
  await session(client)
  await client.close()
  const lines = log().trim().split('\n')
  assert.ok(lines.some((line) => / projects_list_projects \{"count":5000\} -> 200, \d+ ms$/.test(line)), log())
  assert.ok(lines.every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \S+ .*-> .*, \d+ ms$/.test(line)), log())
  console.log(`stdio: ${lines.length} calls`)
}

{
  const { transport } = stdio(['--many', '700'])
  const client = await connected(transport)
  assert.equal((await tools(client)).length, 6)
  const reply = await client.callTool({ name: 'search_operations', arguments: { words: 'list projects' } })
  const { name } = JSON.parse(texts(reply)[0]).operations[0]
  const described = await client.callTool({ name: 'describe_operation', arguments: { operation: name } })
  assert.ok(JSON.parse(texts(described)[0]).arguments.properties.count)
  const called = await client.callTool({ name: 'read_operation', arguments: { operation: name, arguments: { count: 2 } } })
  assert.equal(JSON.parse(texts(called)[0]).total, 2)
  await client.close()
  console.log('search among 710 operations')
}

{
  const { transport } = stdio(['--many', '700', '--tools', 'all'])
  const client = await connected(transport)
  assert.equal((await tools(client)).length, 710)
  await client.close()
  console.log('list of 710 tools, in pages')
}

{
  const server = spawn(program, ['--http', '--allow', '*:write'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const { value: address } = await lines.next()
    const { value: header } = await lines.next()
    const authorization = header.replace('Authorization: ', '')
    const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { authorization } } })
    const client = await connected(transport)
    await session(client)
    await transport.terminateSession()
    await client.close()
    const refused = new StreamableHTTPClientTransport(new URL(address))
    await assert.rejects(connected(refused))
    console.log('HTTP: the same calls, and none without the token')
  } finally {
    server.kill()
  }
}

console.log(`@modelcontextprotocol/sdk ${version}`)
// The SDK would try to reconnect to the server that has ended.
process.exit(0)
