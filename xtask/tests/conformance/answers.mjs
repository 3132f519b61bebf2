// Answers of graphql-js to every operation: random nulls, list lengths and values, values and types that no schema lists.
// Arguments: schema file (SDL), file with a JSON list of the documents as they are sent, answers for each, folder of node_modules.
// Prints a line of JSON for each: operation, whether directives decide what is there, answer as text.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
const [schemaFile, sentFile, count, modules] = process.argv.slice(2)
const { buildSchema, parse, execute, validate, print, visit, Kind, isNonNullType, isListType, isEnumType, isAbstractType,
  isObjectType, isLeafType, OperationTypeNode } = createRequire(join(modules, 'x.js'))('graphql')
const schema = buildSchema(readFileSync(schemaFile, 'utf8'), { assumeValidSDL: true })
let seed = 88172645463325252n
const below = (bound) => {
  seed ^= BigInt.asUintN(64, seed << 13n); seed ^= seed >> 7n; seed ^= BigInt.asUintN(64, seed << 17n)
  return Number(seed % BigInt(bound))
}
const digits = (n) => Array.from({ length: 1 + below(n) }, () => below(10)).join('')
const number = () => `${below(2) ? '-' : ''}${1 + below(9)}${digits(24)}.${digits(12)}`
const words = ['', 'x', 'Größe', '"quoted" \\ \n', '\u{1f600}', 'null', '12']
const scalars = {
  Int: () => below(2 ** 31) - 2 ** 30, Float: () => (below(1000) - 500) / 8, Boolean: () => below(2) === 0,
  String: () => words[below(words.length)], ID: () => String(below(1e6)),
  Money: () => `@@${number()}@@`, BigInt: () => (below(2) ? '-' : '') + '9' + digits(17),
  Anything: () => [null, 1, 'x', [1, { a: 2 }], { b: null }][below(5)],
}
const value = (type) => {
  if (isNonNullType(type)) return strict(type.ofType)
  return below(5) === 0 ? null : strict(type)
}
const strict = (type) => {
  if (isListType(type)) return Array.from({ length: below(4) }, () => value(type.ofType))
  if (isEnumType(type)) { const all = type.getValues(); return below(8) === 0 ? '@unseen' : all[below(all.length)].name }
  if (isAbstractType(type)) { const all = schema.getPossibleTypes(type); return { '@type': all[below(all.length)].name } }
  if (isObjectType(type)) return { '@type': type.name }
  return (scalars[type.name] ?? scalars.String)()
}
for (const type of Object.values(schema.getTypeMap())) {
  if (isEnumType(type)) type.serialize = (name) => (name === '@unseen' ? 'NEVER_SEEN' : name)
  else if (isLeafType(type)) type.serialize = (it) => it
}
const unseen = (it) => {
  if (Array.isArray(it)) it.forEach(unseen)
  else if (it && typeof it === 'object') {
    Object.values(it).forEach(unseen)
    // A type that nobody knows is kept as plain JSON, whose numbers are floats.
    if (it.__typename && below(20) === 0 && !JSON.stringify(it).includes('@@')) it.__typename = 'NeverSeen'
  }
}
for (const document of JSON.parse(readFileSync(sentFile, 'utf8')).map((sent) => parse(sent))) {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const errors = validate(schema, document)
  if (errors.length) throw new Error(`${print(operation)}: ${errors[0].message}`)
  let decided = false
  visit(document, { Directive: (node) => { decided ||= ['skip', 'include'].includes(node.name.value) } })
  for (let turn = 0; turn < Number(count); turn += 1) {
    const variableValues = Object.fromEntries((operation.variableDefinitions ?? []).map(({ variable }) => [variable.name.value, below(2) === 0]))
    // A subscription delivers what a query for the same would answer.
    const root = operation.operation === OperationTypeNode.SUBSCRIPTION ? schema.getSubscriptionType() : undefined
    const asked = root ? { ...document, definitions: document.definitions.map((it) => (it === operation ? { ...it, operation: 'query' } : it)) } : document
    const served = root ? Object.assign(Object.create(schema), { getRootType: () => root, getQueryType: () => root }) : schema
    const answer = execute({ schema: served, document: asked, variableValues, rootValue: {},
      fieldResolver: (_source, _args, _context, info) => value(info.returnType),
      typeResolver: (it) => it['@type'] })
    if (answer.errors) throw answer.errors[0]
    unseen(answer.data)
    const data = JSON.stringify(answer.data).replaceAll(/"@@([^"@]*)@@"/g, '$1')
    console.log(JSON.stringify({ operation: operation.name.value, decided, data }))
  }
}
