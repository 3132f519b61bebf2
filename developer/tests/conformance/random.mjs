// Random answers of a schema: nulls, list lengths and values, values and types that no schema lists.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
export const packages = (modules) => createRequire(join(modules, 'x.js'))
export const random = (schemaFile, modules) => {
  const graphql = packages(modules)('graphql')
  const { buildSchema, isNonNullType, isListType, isEnumType, isAbstractType, isObjectType, isLeafType } = graphql
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
    Money: () => `@@${number()}@@`, Decimal: number, BigInt: () => (below(2) ? '-' : '') + '9' + digits(17), UnsignedInt64: () => '1' + digits(18),
    Anything: () => [null, 1, 'x', [`@@${number()}@@`, { a: `@@${number()}@@` }], { b: null }][below(5)],
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
      if (it.__typename && below(20) === 0) it.__typename = 'NeverSeen'
    }
  }
  // Numbers with more digits than a float has travel as marked texts.
  const plain = (text) => text.replaceAll(/"@@([^"@]*)@@"/g, '$1')
  return { graphql, schema, below, value, unseen, plain }
}
