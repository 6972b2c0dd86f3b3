/** What is read of an OpenAPI 3 document. Anything that is missing or strange is left out. */
export type ApiDescription = {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly groups: readonly { readonly name: string; readonly operations: readonly Operation[] }[]
}

export type Operation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  /** Names of the security schemes, any of which will do. */
  readonly security: readonly string[]
  readonly parameters: readonly Field[]
  readonly body: readonly Field[]
  readonly responses: readonly OperationResponse[]
}

/** A parameter, or a property of a body. `place` is `query`, `header`, `path` or a media type. */
export type Field = {
  readonly name: string
  readonly place: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

export type OperationResponse = {
  readonly status: string
  readonly description: string
  /** One for each media type. */
  readonly types: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const DEFAULT_GROUP = 'other'
// Deep enough for any body of ours; schemas may refer to themselves.
const DEPTH_MAX = 6

export function readOpenApi(input: unknown): ApiDescription {
  const document = record(input)
  const info = record(document['info'])
  const operations = Object.entries(record(document['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => method in record(item)).map((method) => ({
      group: text(list(record(record(item)[method])['tags'])[0]) || DEFAULT_GROUP,
      operation: readOperation(document, { method, path, item: record(item) }),
    })),
  )
  const groups = Map.groupBy(operations, ({ group }) => group)
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    groups: Array.from(groups, ([name, members]) => ({
      name,
      operations: members.map(({ operation }) => operation),
    })),
  }
}

function readOperation(
  document: Json,
  { method, path, item }: { method: string; path: string; item: Json },
): Operation {
  const source = record(item[method])
  const security = source['security'] ?? document['security']
  return {
    method: method.toUpperCase(),
    path,
    summary: text(source['summary']),
    description: text(source['description']),
    deprecated: source['deprecated'] === true,
    security: list(security).flatMap((requirement) => Object.keys(record(requirement))),
    parameters: [...list(item['parameters']), ...list(source['parameters'])].map((parameter) =>
      readParameter(document, parameter),
    ),
    body: readBody(document, source['requestBody']),
    responses: Object.entries(record(source['responses'])).map(([status, response]) =>
      readResponse(document, status, response),
    ),
  }
}

function readParameter(document: Json, input: unknown): Field {
  const parameter = resolve(document, input)
  return {
    name: text(parameter['name']),
    place: text(parameter['in']),
    type: typeText(document, parameter['schema']),
    required: parameter['required'] === true,
    description: text(parameter['description']) || text(record(parameter['schema'])['description']),
  }
}

/** The same body in several media types is told once, with the first of them. */
function readBody(document: Json, input: unknown): Field[] {
  const [first] = Object.entries(record(resolve(document, input)['content']))
  if (!first) return []
  const [mediaType, content] = first
  const schema = resolve(document, record(content)['schema'])
  const required = list(schema['required'])
  const properties = Object.entries(record(schema['properties']))
  if (properties.length === 0) {
    const type = typeText(document, schema)
    return [{ name: 'body', place: mediaType, type, required: true, description: '' }]
  }
  return properties.map(([name, property]) => ({
    name,
    place: mediaType,
    type: typeText(document, property),
    required: required.includes(name),
    description: text(record(property)['description']),
  }))
}

function readResponse(document: Json, status: string, input: unknown): OperationResponse {
  const response = resolve(document, input)
  const types = Object.entries(record(response['content'])).map(([mediaType, content]) =>
    mediaType.includes('json') ? typeText(document, record(content)['schema']) : mediaType,
  )
  return { status, description: text(response['description']), types: [...new Set(types)] }
}

/** A schema as a line of TypeScript, more or less. */
function typeText(document: Json, input: unknown, depth = 0): string {
  const schema = resolve(document, input)
  if (depth > DEPTH_MAX) return '…'
  const inner = (part: unknown) => typeText(document, part, depth + 1)

  if ('const' in schema) return JSON.stringify(schema['const'])
  if ('enum' in schema) return literalsText(list(schema['enum']))
  const alternatives = [...list(schema['anyOf']), ...list(schema['oneOf'])]
  if (alternatives.length > 0) return [...new Set(alternatives.map(inner))].join(' | ')
  if (schema['type'] === 'array') return arrayText(inner(schema['items']))
  if (schema['type'] === 'object' || 'properties' in schema) return objectText(schema, inner)
  return list(schema['type']).map(text).join(' | ') || text(schema['type']) || 'any'
}

function literalsText(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ')
}

function arrayText(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function objectText(schema: Json, inner: (part: unknown) => string): string {
  const properties = Object.entries(record(schema['properties']))
  if (properties.length > 0) {
    const required = list(schema['required'])
    const fields = properties.map(
      ([name, property]) => `${name}${required.includes(name) ? '' : '?'}: ${inner(property)}`,
    )
    return `{ ${fields.join(', ')} }`
  }
  const rest =
    schema['additionalProperties'] ?? Object.values(record(schema['patternProperties']))[0]
  return typeof rest === 'object' ? `{ [key]: ${inner(rest)} }` : 'object'
}

/** Follows a reference within the document (`#/components/schemas/Name`). */
function resolve(document: Json, input: unknown): Json {
  const value = record(input)
  const reference = text(value['$ref'])
  if (!reference.startsWith('#/')) return value
  const steps = reference.slice(2).split('/')
  return record(steps.reduce<unknown>((place, step) => record(place)[step], document))
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
