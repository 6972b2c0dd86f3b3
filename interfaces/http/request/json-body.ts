import type { TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { exchangeOf } from './exchange.ts'
import { firstEntries } from './header-list.ts'
import { RequestRefused } from './refusal.ts'
import { shapeRefusal } from './schema-violation.ts'

/**
 * The options of a route that takes a JSON object of this shape. The body is read and checked here, because Elysia's
 * own way of refusing one turns its values into text, which an object with a `toString` of its own can make fail.
 */
export function jsonBody<Schema extends TObject>(schema: Schema) {
  // Fields beyond the schema are ignored.
  const body = { ...schema, additionalProperties: true }
  const read = async ({ request }: { request: Request }) => {
    const value = await readJsonObject(request)
    if (!Value.Check(body, value)) throw shapeRefusal(body, value)
    return value
  }
  // 'json' is never reached, and tells the OpenAPI document what is read.
  return { parse: [read, 'json' as const], body }
}

/** As `parseJsonObject`, for the request as the routes see it. */
async function readJsonObject(request: Request): Promise<object> {
  const body = await exchangeOf(request).readBody()
  return body === null ? {} : parseJsonObject(body, request.headers)
}

/**
 * A body as a JSON object; an empty body is an empty one. Throws `unsupported_media_type`, `invalid_json` (also for
 * bytes that are no UTF-8) or, for JSON that is no object, `invalid_request`.
 */
export function parseJsonObject(bytes: Uint8Array, headers: Headers): object {
  if (bytes.length === 0) return {}
  if (!isPlainJson(headers)) throw new RequestRefused('unsupported_media_type')

  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RequestRefused('invalid_request')
  }
  return value
}

function isPlainJson(headers: Headers): boolean {
  const [type = '', ...parameters] = firstEntries(
    headers.get('content-type')?.toLowerCase() ?? null,
    ';',
  )
  const isUtf8 = parameters
    .filter((parameter) => parameter.startsWith('charset='))
    .every((parameter) => /^charset="?utf-?8"?$/.test(parameter))
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  return type === 'application/json' && isUtf8 && encoding === 'identity'
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new RequestRefused('invalid_json', { cause: error })
  }
}
