import { asList, asRecord, asText, formatValue, type Json, resolve } from './openapi-values.ts'

/** A parameter, a header, or a property of a body. */
export type Field = {
  readonly name: string
  /** Of a parameter: `query`, `header`, `path` or `cookie`. Else `body`, or `header` for one of an answer. */
  readonly place: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  /** Further rules for the value. */
  readonly constraints: readonly { readonly label: string; readonly value: string }[]
  /** Empty where the document has none. */
  readonly example: string
}

// Deep enough for any body of ours; schemas may refer to themselves.
const DEPTH_MAX = 6

const CONSTRAINTS = {
  format: 'Format',
  pattern: 'Pattern',
  default: 'Default',
  minLength: 'Shortest',
  maxLength: 'Longest',
} as const

/** A parameter or header object, or anything else with a schema and a description of its own. */
export function readField(
  document: Json,
  input: Json,
  where: Pick<Field, 'name' | 'place'>,
): Field {
  const schema = resolve(document, input['schema'])
  const example = input['example'] ?? asList(schema['examples'])[0]
  return {
    ...where,
    type: typeText(document, schema),
    required: input['required'] === true,
    description: asText(input['description']) || asText(schema['description']),
    constraints: readConstraints(schema),
    example: formatValue(example),
  }
}

/** The properties of an object, each with its part of the object's example. Empty for any other schema. */
export function readProperties(document: Json, input: unknown, example: unknown): Field[] {
  const schema = resolve(document, input)
  const required = asList(schema['required'])
  return Object.entries(asRecord(schema['properties'])).map(([name, property]) =>
    readField(
      document,
      { schema: property, required: required.includes(name), example: asRecord(example)[name] },
      { name, place: 'body' },
    ),
  )
}

function readConstraints(schema: Json): Field['constraints'] {
  return Object.entries(CONSTRAINTS)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, label]) => ({ label, value: formatValue(schema[key]) }))
}

/** A schema as a line of TypeScript, more or less. */
export function typeText(document: Json, input: unknown, depth = 0): string {
  const schema = resolve(document, input)
  if (depth > DEPTH_MAX) return '…'
  const inner = (part: unknown) => typeText(document, part, depth + 1)

  if ('const' in schema) return JSON.stringify(schema['const'])
  if ('enum' in schema) return literalsText(asList(schema['enum']))
  const alternatives = [...asList(schema['anyOf']), ...asList(schema['oneOf'])]
  if (alternatives.length > 0) return [...new Set(alternatives.map(inner))].join(' | ')
  if (schema['type'] === 'array') return arrayText(inner(schema['items']))
  if (schema['type'] === 'object' || 'properties' in schema) return objectText(schema, inner)
  return asList(schema['type']).map(asText).join(' | ') || asText(schema['type']) || 'any'
}

function literalsText(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ')
}

function arrayText(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function objectText(schema: Json, inner: (part: unknown) => string): string {
  const properties = Object.entries(asRecord(schema['properties']))
  if (properties.length > 0) {
    const required = asList(schema['required'])
    const fields = properties.map(
      ([name, property]) => `${name}${required.includes(name) ? '' : '?'}: ${inner(property)}`,
    )
    return `{ ${fields.join(', ')} }`
  }
  const rest =
    schema['additionalProperties'] ?? Object.values(asRecord(schema['patternProperties']))[0]
  return typeof rest === 'object' ? `{ [key]: ${inner(rest)} }` : 'object'
}
