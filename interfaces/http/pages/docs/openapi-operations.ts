import { type Field, readField, readProperties, typeText } from './openapi-schema.ts'
import { asList, asRecord, asText, formatValue, type Json, resolve } from './openapi-values.ts'

/** The parts of an OpenAPI 3 document that the page shows. Anything missing or unexpected is left out. */
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
  /** Whether none of them will do as well. */
  readonly isSecurityOptional: boolean
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
  const document = asRecord(input)
  const info = asRecord(document['info'])
  const operations = Object.entries(asRecord(document['paths'])).flatMap(([path, item]) =>
    METHODS.filter((method) => method in asRecord(item)).map((method) => ({
      group: asText(asList(asRecord(asRecord(item)[method])['tags'])[0]) || DEFAULT_GROUP,
      operation: readOperation(document, { method, path, item: asRecord(item) }),
    })),
  )
  const tags = asList(document['tags']).map(asRecord)
  const named = tags.map((tag) => asText(tag['name']))
  const groups = Map.groupBy(operations, ({ group }) => group)
  const names = [...named.filter((name) => groups.has(name)), ...groups.keys()]
  return {
    title: asText(info['title']),
    version: asText(info['version']),
    description: asText(info['description']),
    securitySchemes: readSecuritySchemes(document),
    groups: [...new Set(names)].map((name) => ({
      name,
      description: asText(tags.find((tag) => tag['name'] === name)?.['description']),
      operations: groups.get(name)?.map(({ operation }) => operation) ?? [],
    })),
  }
}

function readSecuritySchemes(document: Json): SecurityScheme[] {
  const schemes = asRecord(asRecord(document['components'])['securitySchemes'])
  return Object.entries(schemes).map(([name, input]) => {
    const scheme = resolve(document, input)
    return {
      name,
      scheme: asText(scheme['scheme']),
      format: asText(scheme['bearerFormat']),
      description: asText(scheme['description']),
    }
  })
}

function readOperation(
  document: Json,
  { method, path, item }: { method: string; path: string; item: Json },
): Operation {
  const source = asRecord(item[method])
  const requirements = asList(source['security'] ?? document['security']).map((requirement) =>
    Object.keys(asRecord(requirement)),
  )
  return {
    method: method.toUpperCase(),
    path,
    summary: asText(source['summary']),
    description: asText(source['description']),
    deprecated: source['deprecated'] === true,
    security: requirements.flat(),
    isSecurityOptional: requirements.some((names) => names.length === 0),
    parameters: [...asList(item['parameters']), ...asList(source['parameters'])].map((parameter) =>
      readParameter(document, parameter),
    ),
    body: readBody(document, source['requestBody']),
    responses: Object.entries(asRecord(source['responses'])).map(([status, response]) =>
      readResponse(document, status, response),
    ),
  }
}

function readParameter(document: Json, input: unknown): Field {
  const parameter = resolve(document, input)
  return readField(document, parameter, {
    name: asText(parameter['name']),
    place: asText(parameter['in']),
  })
}

/** A body that comes in several media types is described once, by the first of them. */
function readBody(document: Json, input: unknown): RequestBody | null {
  const body = resolve(document, input)
  const [first] = Object.entries(asRecord(body['content']))
  if (!first) return null
  const [mediaType, content] = first
  const { schema, example } = asRecord(content)
  return {
    mediaType,
    description: asText(body['description']) || asText(resolve(document, schema)['description']),
    type: typeText(document, schema),
    fields: readProperties(document, schema, example),
    example: formatValue(example),
  }
}

function readResponse(document: Json, status: string, input: unknown): OperationResponse {
  const response = resolve(document, input)
  return {
    status,
    description: asText(response['description']),
    headers: Object.entries(asRecord(response['headers'])).map(([name, header]) =>
      readField(document, resolve(document, header), { name, place: 'header' }),
    ),
    contents: Object.entries(asRecord(response['content'])).map(([mediaType, content]) =>
      readContent(document, mediaType, asRecord(content)),
    ),
  }
}

function readContent(document: Json, mediaType: string, content: Json): ResponseContent {
  const { schema, example, examples } = content
  const named = Object.values(asRecord(examples)).map((one) => resolve(document, one)['value'])
  return {
    mediaType,
    type: typeText(document, schema),
    fields: readProperties(document, schema, example),
    examples: [...(example === undefined ? [] : [example]), ...named].map(formatValue),
  }
}
