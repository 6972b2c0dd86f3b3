import { type Field, readField, readProperties, typeText } from './openapi-schema.ts'
import { asList, asRecord, asText, formatValue, type Json, resolve } from './openapi-values.ts'

export type ApiDescription = ReturnType<typeof readOpenApi>
export type OperationGroup = ApiDescription['groups'][number]
export type Operation = ReturnType<typeof readOperation>
export type RequestBody = NonNullable<Operation['body']>
export type OperationResponse = ReturnType<typeof readResponse>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const DEFAULT_GROUP = 'other'

/** The parts of an OpenAPI 3 document that the page shows. Anything missing or unexpected is left out. */
export function readOpenApi(input: unknown) {
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
    // As the document orders its tags.
    groups: [...new Set(names)].map((name) => ({
      name,
      description: asText(tags.find((tag) => tag['name'] === name)?.['description']),
      operations: groups.get(name)?.map(({ operation }) => operation) ?? [],
    })),
  }
}

function readSecuritySchemes(document: Json) {
  const schemes = asRecord(asRecord(document['components'])['securitySchemes'])
  return Object.entries(schemes).map(([name, input]) => {
    const scheme = resolve(document, input)
    return {
      name,
      /** Such as `bearer`, for the HTTP scheme of an Authorization header. */
      scheme: asText(scheme['scheme']),
      format: asText(scheme['bearerFormat']),
      description: asText(scheme['description']),
    }
  })
}

function readOperation(
  document: Json,
  { method, path, item }: { method: string; path: string; item: Json },
) {
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
    /** Names of the security schemes, any of which will do. */
    security: requirements.flat(),
    /** Whether none of them will do as well. */
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
function readBody(document: Json, input: unknown) {
  const body = resolve(document, input)
  const [first] = Object.entries(asRecord(body['content']))
  if (!first) return null
  const [mediaType, content] = first
  const { schema, example } = asRecord(content)
  return {
    mediaType,
    description: asText(body['description']) || asText(resolve(document, schema)['description']),
    type: typeText(document, schema),
    /** Empty for a body that is no object with named properties. */
    fields: readProperties(document, schema, example),
    example: formatValue(example),
  }
}

function readResponse(document: Json, status: string, input: unknown) {
  const response = resolve(document, input)
  return {
    status,
    description: asText(response['description']),
    headers: Object.entries(asRecord(response['headers'])).map(([name, header]) =>
      readField(document, resolve(document, header), { name, place: 'header' }),
    ),
    /** One for each media type. */
    contents: Object.entries(asRecord(response['content'])).map(([mediaType, content]) =>
      readContent(document, mediaType, asRecord(content)),
    ),
  }
}

function readContent(document: Json, mediaType: string, content: Json) {
  const { schema, example, examples } = content
  const named = Object.values(asRecord(examples)).map((one) => resolve(document, one)['value'])
  return {
    mediaType,
    type: typeText(document, schema),
    fields: readProperties(document, schema, example),
    examples: [...(example === undefined ? [] : [example]), ...named].map(formatValue),
  }
}
