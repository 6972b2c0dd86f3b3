import { openApiDocument } from '../../../interfaces/composition/run-openapi.ts'
import { rulesOf } from '../../../interfaces/http/paths.ts'
import { fakePorts } from '../fakes.ts'
import { unlimitedOptions } from '../http/http-options.ts'
import { answerCheck, type Document, type ResponseCheck } from './answer-check.ts'
import { countAnswer, noteViolation } from './answer-ledger.ts'

/** Not in the document: files that pages load, and a page of development mode. */
const UNDESCRIBED_FOLDERS = ['/assets/', '/sandbox/']

/** Where no operation is, each status has one answer. */
const OUTSIDE: Readonly<Record<number, string>> = {
  400: 'InvalidRequest',
  404: 'EndpointNotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'TemporarilyUnavailable',
}

/** How compressed bytes begin (RFC 8878, RFC 1952). */
const ZSTD = '28b52ffd'
const GZIP = '1f8b'

export const DOCUMENT = (await openApiDocument(unlimitedOptions(fakePorts()))) as Document

const responseCheck = answerCheck(DOCUMENT)
const checks = new Map<string, { operation: string; check: ResponseCheck | null }>()

/**
 * Throws for an answer of Alibi that is not as its OpenAPI document says, and keeps count of those that are. The answer
 * stays unread. `headers` are given where it is checked before all of them are on it.
 */
export async function checkAnswer(
  { method, url }: { method: string; url: string },
  response: Response,
  headers: Headers = response.headers,
): Promise<void> {
  const path = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url)?.pathname ?? ''
  if (UNDESCRIBED_FOLDERS.some((folder) => path.startsWith(folder))) return

  const { status } = response
  const { operation, check } = find(method, path, status)
  const text = response.body ? readText(await response.clone().arrayBuffer()) : ''
  const problems = check?.({ method, status, headers, text }) ?? ['status is not described']
  if (problems.length > 0) {
    const violation = `${method} ${path} answered ${status}, and ${problems.join('; ')}`
    noteViolation(violation)
    throw new Error(`not as described in the OpenAPI document: ${violation}`)
  }
  countAnswer(operation, status)
}

/** A page is compressed where its visitor takes that. */
function readText(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer)
  const start = bytes.subarray(0, 4).toHex()
  if (start === ZSTD) return Bun.zstdDecompressSync(bytes).toString()
  return new TextDecoder().decode(start.startsWith(GZIP) ? Bun.gunzipSync(bytes) : bytes)
}

function find(method: string, path: string, status: number) {
  // Whatever an unknown path is called: so many of them would be too many to keep.
  const place = path in DOCUMENT.paths ? path : `${variantOf(path)} unlisted`
  const key = `${method} ${place} ${status}`
  const known = checks.get(key) ?? make(method, path, status)
  checks.set(key, known)
  return known
}

function make(method: string, path: string, status: number) {
  const described = DOCUMENT.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  const isPreflight = method === 'OPTIONS' && status === 204
  const outside = isPreflight ? 'Preflight' : `${OUTSIDE[status]}${variantOf(path)}`
  const response = described ? described.responses[status] : DOCUMENT.components.responses[outside]
  return {
    operation: described?.operationId ?? (isPreflight ? 'preflight' : 'unlisted'),
    check: response ? responseCheck(response) : null,
  }
}

/** As the document calls the answers of such paths. */
function variantOf(path: string): string {
  const { policy, deprecated } = rulesOf(path)
  if (deprecated) return 'Deprecated'
  return policy ? '' : 'Unlimited'
}
