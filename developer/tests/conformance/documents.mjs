// Documents for a schema, made at random and valid by graphql-js: members of interfaces beside those of some of their objects.
// Arguments: schema file (SDL), how many, folder to write into, folder of node_modules.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { random } from './random.mjs'
const [schemaFile, count, folder, modules] = process.argv.slice(2)
const { graphql, schema, below } = random(schemaFile, modules)
const { getNamedType, isLeafType, isAbstractType, isObjectType, isUnionType, isRequiredArgument, parse, validate } = graphql
let variables = []
const called = (field) => {
  const given = field.args.filter((arg) => isRequiredArgument(arg)).map((arg) => {
    variables.push(`$v${variables.length}: ${arg.type}`)
    return `${arg.name}: $v${variables.length - 1}`
  })
  return given.length ? `${field.name}(${given.join(', ')})` : field.name
}
const some = (all, most) => {
  const left = [...all], taken = []
  while (left.length && taken.length < most) taken.push(...left.splice(below(left.length), 1))
  return taken
}
const member = (field, depth) => {
  const type = getNamedType(field.type)
  const call = called(field)
  return isLeafType(type) ? call : `${call} ${selection(type, depth + 1)}`
}
const members = (type, most, depth) => {
  const fields = Object.values(type.getFields())
  const composite = depth < 4 ? fields.filter((field) => !isLeafType(getNamedType(field.type))) : []
  return [...some(fields.filter((field) => isLeafType(getNamedType(field.type))), most), ...some(composite, 1 + below(2))].map((field) => member(field, depth))
}
const selection = (type, depth) => {
  if (isObjectType(type)) return `{ __typename ${members(type, 3, depth).join(' ')} }`
  const own = isUnionType(type) ? [] : members(type, 3, depth)
  const objects = some(schema.getPossibleTypes(type), below(4))
  // Every interface of one of the objects is a condition, too.
  const above = some(objects.flatMap((object) => object.getInterfaces()), below(2))
  const parts = [...objects, ...above].map((one) => `... on ${one.name} { __typename ${members(one, 2, depth + 1).join(' ')} }`)
  return `{ __typename ${[...own, ...parts].join(' ')} }`
}
mkdirSync(folder, { recursive: true })
const roots = [...Object.values(schema.getQueryType().getFields()).map((field) => ['query', field])]
roots.push(...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ['mutation', field]))
const abstract = roots.filter(([, field]) => isAbstractType(getNamedType(field.type)))
let written = 0
for (let turn = 0; written < Number(count) && turn < 100 * Number(count); turn += 1) {
  variables = []
  const from = abstract.length && below(3) === 0 ? abstract : roots
  const [word, field] = from[below(from.length)]
  const body = member(field, 0)
  const text = `${word} Document${written}${variables.length ? `(${variables.join(', ')})` : ''} { ${body} }\n`
  if (text.length < 6000 && validate(schema, parse(text)).length === 0) {
    writeFileSync(join(folder, `document${written}.graphql`), text)
    written += 1
  }
}
if (written < Number(count)) throw new Error(`${written} valid documents of ${count}`)
