// The schema behind the TypeScript types that graphql-codegen has written into a package, as SDL.
// Arguments: file of types, or `hasura` for a schema in the manner of Hasura, which no package has. Prints the schema.
import { readFileSync } from 'node:fs'

const of = (text) => {
  const types = new Map(), enums = new Map(), unions = new Map(), parents = new Map()
  const source = text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  for (const [, name, body] of source.matchAll(/^export (?:declare )?enum (\w+) \{([\s\S]*?)^\}/gm)) {
    enums.set(name, [...body.matchAll(/= ["'](.*?)["']/g)].map((value) => value[1]))
  }
  for (const [, name, above, body] of source.matchAll(/^export (?:declare )?type (\w+) = ((?:\w+ & )*)\{\n([\s\S]*?)^\};/gm)) {
    const members = [...body.matchAll(/^ +(\w+)\??: (.+);$/gm)].filter((member) => member[1] !== '__typename')
    types.set(name, new Map(members.map((member) => [member[1], member[2]])))
    parents.set(name, above.split(' & ').filter(Boolean))
  }
  for (const [, name, body] of source.matchAll(/^export (?:declare )?type (\w+) =\s*((?:\|?\s*\w+\s*)(?:\|\s*\w+\s*)+);/gm)) {
    unions.set(name, body.split('|').map((member) => member.trim()).filter(Boolean))
  }
  const reference = (type) => {
    const nullable = type.match(/^(?:Input)?Maybe<(.*)>$/)
    if (nullable) return reference(nullable[1]).replace(/!$/, '')
    const list = type.match(/^Array<(.*)>$/)
    return `${list ? `[${reference(list[1])}]` : type.replace(/^Scalars\[["'](\w+)["']\]$/, '$1')}!`
  }
  const interfaces = new Set([...parents.values()].flat())
  const builtIn = new Set(['ID', 'String', 'Boolean', 'Int', 'Float'])
  const waiting = ['Query', 'Mutation'].map((name) => [name, 'type']), kinds = new Map()
  const want = (type, kind) => waiting.push([reference(type).replaceAll(/[[\]!]/g, ''), kind])
  const out = []
  const members = (fields, kind, owner) => [...fields].map(([field, type]) => {
    want(type, kind)
    const given = types.get(`${owner}${field[0].toUpperCase()}${field.slice(1)}Args`)
    const args = given ? `(${members(given, 'input').join(', ')})` : ''
    return `${field}${args}: ${reference(type)}`
  })
  while (waiting.length) {
    const [name, kind] = waiting.pop()
    if (kinds.has(name) || builtIn.has(name)) continue
    kinds.set(name, kind)
    if (enums.has(name)) out.push(`enum ${name} { ${enums.get(name).join(' ')} }`)
    else if (unions.has(name)) {
      unions.get(name).forEach((member) => want(member, 'type'))
      out.push(`union ${name} = ${unions.get(name).join(' | ')}`)
    } else if (types.has(name)) {
      const above = parents.get(name)
      above.forEach((other) => want(other, 'type'))
      if (interfaces.has(name)) parents.forEach((others, type) => others.includes(name) && want(type, 'type'))
      const word = kind === 'input' ? 'input' : interfaces.has(name) ? 'interface' : 'type'
      out.push(`${word} ${name}${above.length ? ` implements ${above.join(' & ')}` : ''} { ${members(types.get(name), kind, name).join('\n')} }`)
    } else out.push(`scalar ${name}`)
  }
  return out.join('\n')
}

// Tables that refer to each other: conditions, orders and rows to insert hold those of the tables around them.
const hasura = () => {
  const tables = Array.from({ length: 24 }, (_, table) => `t${table}`)
  const columns = ['id: uuid!', 'name: String', 'count: Int!', 'at: timestamptz', 'price: numeric', 'data: jsonb', 'done: Boolean!', 'big: bigint']
  const others = (table) => [1, 2, 5].map((step) => tables[(tables.indexOf(table) + step) % tables.length])
  const names = columns.map((column) => column.split(':')[0])
  const typed = (suffix) => columns.map((column) => column.replace(/: (\w+)!?/, suffix)).join(' ')
  return [
    'scalar uuid scalar timestamptz scalar numeric scalar jsonb scalar bigint',
    'enum order_by { asc asc_nulls_first desc }',
    ...['uuid', 'String', 'Int', 'timestamptz', 'numeric', 'jsonb', 'Boolean', 'bigint'].map((type) =>
      `input ${type}_comparison_exp { _eq: ${type} _gt: ${type} _gte: ${type} _in: [${type}!] _is_null: Boolean _lt: ${type} _lte: ${type} _neq: ${type} _nin: [${type}!] }`),
    ...tables.flatMap((table) => [
      `type ${table} { ${columns.join(' ')} ${others(table).map((other) => `one_${other}: ${other} all_${other}(where: ${other}_bool_exp, order_by: [${other}_order_by!]): [${other}!]! all_${other}_aggregate: ${other}_aggregate!`).join(' ')} }`,
      `type ${table}_aggregate { aggregate: ${table}_aggregate_fields nodes: [${table}!]! }`,
      `type ${table}_aggregate_fields { count: Int! max: ${table}_max sum: ${table}_sum }`,
      `type ${table}_max { ${typed(': $1')} } type ${table}_sum { count: Int price: numeric big: bigint }`,
      `input ${table}_bool_exp { _and: [${table}_bool_exp!] _or: [${table}_bool_exp!] _not: ${table}_bool_exp ${typed(': $1_comparison_exp')} ${others(table).map((other) => `one_${other}: ${other}_bool_exp all_${other}: ${other}_bool_exp`).join(' ')} }`,
      `input ${table}_order_by { ${names.map((name) => `${name}: order_by`).join(' ')} ${others(table).map((other) => `one_${other}: ${other}_order_by`).join(' ')} }`,
      `input ${table}_insert { ${typed(': $1')} ${others(table).map((other) => `one_${other}: ${other}_one all_${other}: ${other}_all`).join(' ')} }`,
      `input ${table}_one { data: ${table}_insert! on_conflict: ${table}_on_conflict } input ${table}_all { data: [${table}_insert!]! on_conflict: ${table}_on_conflict }`,
      `enum ${table}_column { ${names.join(' ')} } input ${table}_on_conflict { update_columns: [${table}_column!]! where: ${table}_bool_exp }`,
      `type ${table}_response { affected_rows: Int! returning: [${table}!]! }`,
    ]),
    `type Query { ${tables.map((table) => `${table}(where: ${table}_bool_exp!, order_by: [${table}_order_by!]!): [${table}!]! ${table}_aggregate(where: ${table}_bool_exp): ${table}_aggregate!`).join(' ')} }`,
    `type Mutation { ${tables.map((table) => `insert_${table}(objects: [${table}_insert!]!, one: ${table}_insert!): ${table}_response`).join(' ')} }`,
  ].join('\n')
}

console.log(process.argv[2] === 'hasura' ? hasura() : of(readFileSync(process.argv[2], 'utf8')))
