import { exchangeOf } from './exchange.ts'
import { firstEntries } from './header-list.ts'
import { RequestRefused } from './refusal.ts'

/** As `parseJsonObject`, for the request as the routes see it. */
export async function readJsonObject(request: Request): Promise<object> {
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
