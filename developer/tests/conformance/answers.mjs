// Answers of graphql-js to every operation.
// Arguments: schema file (SDL), file with a JSON list of the documents as they are sent, answers for each, folder of node_modules.
// Prints a line of JSON for each: operation, whether directives decide what is there, answer as text.
import { readFileSync } from 'node:fs'
import { random } from './random.mjs'
const [schemaFile, sentFile, count, modules] = process.argv.slice(2)
const { graphql, schema, below, value, unseen, plain } = random(schemaFile, modules)
const { parse, execute, validate, print, visit, Kind, OperationTypeNode, typeFromAST, isNonNullType, isListType, isEnumType, isInputObjectType, isRequiredInputField } = graphql
const given = (type) => {
  if (isNonNullType(type)) return given(type.ofType)
  if (isListType(type)) return [given(type.ofType)]
  if (isEnumType(type)) return type.getValues()[0].name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const sent = type.isOneOf ? fields.slice(0, 1) : fields.filter((field) => isRequiredInputField(field))
    return Object.fromEntries(sent.map((field) => [field.name, given(field.type)]))
  }
  return { Boolean: () => below(2) === 0, Int: () => 1, Float: () => 1 }[type.name]?.() ?? 'x'
}
for (const document of JSON.parse(readFileSync(sentFile, 'utf8')).map((sent) => parse(sent))) {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const errors = validate(schema, document)
  if (errors.length) throw new Error(`${print(operation)}: ${errors[0].message}`)
  let decided = false
  visit(document, { Directive: (node) => { decided ||= ['skip', 'include'].includes(node.name.value) } })
  for (let turn = 0; turn < Number(count); turn += 1) {
    const variableValues = Object.fromEntries((operation.variableDefinitions ?? []).map(({ variable, type }) => [variable.name.value, given(typeFromAST(schema, type))]))
    // A subscription delivers what a query for the same would answer.
    const root = operation.operation === OperationTypeNode.SUBSCRIPTION ? schema.getSubscriptionType() : undefined
    const asked = root ? { ...document, definitions: document.definitions.map((it) => (it === operation ? { ...it, operation: 'query' } : it)) } : document
    const served = root ? Object.assign(Object.create(schema), { getRootType: () => root, getQueryType: () => root }) : schema
    const answer = execute({ schema: served, document: asked, variableValues, rootValue: {},
      fieldResolver: (_source, _args, _context, info) => value(info.returnType),
      typeResolver: (it) => it['@type'] })
    if (answer.errors) throw answer.errors[0]
    unseen(answer.data)
    const data = plain(JSON.stringify(answer.data))
    console.log(JSON.stringify({ operation: operation.name.value, decided, data }))
  }
}
