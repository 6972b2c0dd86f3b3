import { type Field, readField, readProperties, typeText } from './openapi-schema.ts'
import { type Json, list, record, resolve, shown, text } from './openapi-values.ts'

/** What is read of an OpenAPI 3 document. Anything that is missing or strange is left out. */
export type ApiDescription = {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly securitySchemes: readonly SecurityScheme[]
  /** As the document orders its tags. */
  readonly groups: readonly OperationGroup[]
}

export type OperationGroup = {
  readonly name: string
  readonly description: string
  readonly operations: readonly Operation[]
}

export type SecurityScheme = {
  readonly name: string
  /** Such as `bearer`, for the HTTP scheme of an Authorization header. */
  readonly scheme: string
  readonly format: string
  readonly description: string
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
  readonly body: RequestBody | null
  readonly responses: readonly OperationResponse[]
}

export type RequestBody = {
  readonly mediaType: string
  readonly description: string
  readonly type: string
  /** Empty for a body that is no object with named properties. */
  readonly fields: readonly Field[]
  readonly example: string
}

export type OperationResponse = {
  readonly status: string
  readonly description: string
  readonly headers: readonly Field[]
  /** One for each media type. */
  readonly contents: readonly ResponseContent[]
}

export type ResponseContent = {
  readonly mediaType: string
  readonly type: string
  readonly fields: readonly Field[]
  readonly examples: readonly string[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const DEFAULT_GROUP = 'other'

export function readOpenApi(input: unknown): ApiDescription {
  const document = record(input)
  const info = record(document['info'])
  const operations = Object.entries(record(document['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => method in record(item)).map((method) => ({
      group: text(list(record(record(item)[method])['tags'])[0]) || DEFAULT_GROUP,
      operation: readOperation(document, { method, path, item: record(item) }),
    })),
  )
  const tags = list(document['tags']).map(record)
  const named = tags.map((tag) => text(tag['name']))
  const groups = Map.groupBy(operations, ({ group }) => group)
  const names = [...named.filter((name) => groups.has(name)), ...groups.keys()]
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    securitySchemes: readSecuritySchemes(document),
    groups: [...new Set(names)].map((name) => ({
      name,
      description: text(tags.find((tag) => tag['name'] === name)?.['description']),
      operations: groups.get(name)?.map(({ operation }) => operation) ?? [],
    })),
  }
}

function readSecuritySchemes(document: Json): SecurityScheme[] {
  const schemes = record(record(document['components'])['securitySchemes'])
  return Object.entries(schemes).map(([name, input]) => {
    const scheme = resolve(document, input)
    return {
      name,
      scheme: text(scheme['scheme']),
      format: text(scheme['bearerFormat']),
      description: text(scheme['description']),
    }
  })
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
  return readField(document, parameter, {
    name: text(parameter['name']),
    place: text(parameter['in']),
  })
}

/** A body that comes in several media types is described once, by the first of them. */
function readBody(document: Json, input: unknown): RequestBody | null {
  const body = resolve(document, input)
  const [first] = Object.entries(record(body['content']))
  if (!first) return null
  const [mediaType, content] = first
  const { schema, example } = record(content)
  return {
    mediaType,
    description: text(body['description']) || text(resolve(document, schema)['description']),
    type: typeText(document, schema),
    fields: readProperties(document, schema, example),
    example: shown(example),
  }
}

function readResponse(document: Json, status: string, input: unknown): OperationResponse {
  const response = resolve(document, input)
  return {
    status,
    description: text(response['description']),
    headers: Object.entries(record(response['headers'])).map(([name, header]) =>
      readField(document, resolve(document, header), { name, place: 'header' }),
    ),
    contents: Object.entries(record(response['content'])).map(([mediaType, content]) =>
      readContent(document, mediaType, record(content)),
    ),
  }
}

function readContent(document: Json, mediaType: string, content: Json): ResponseContent {
  const { schema, example, examples } = content
  const named = Object.values(record(examples)).map((one) => resolve(document, one)['value'])
  return {
    mediaType,
    type: typeText(document, schema),
    fields: readProperties(document, schema, example),
    examples: [...(example === undefined ? [] : [example]), ...named].map(shown),
  }
}
