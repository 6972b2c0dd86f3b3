import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { isIP } from 'node:net'
import { codeOf } from '../files/node-errors.ts'

/** The outcome of one request. */
export type Probe =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Where it redirects to; null where it does not. */
      readonly location: string | null
      /** Whether it comes from an Alibi, and not from a proxy in front of it or from something else. */
      readonly isAlibi: boolean
      /** How many requests its rate limit has seen, this one too; null where no limit counted it. */
      readonly used: number | null
      /** The version that the answer names; null where it names none. */
      readonly version: string | null
    }
  | NoAnswer

export type NoAnswer = {
  readonly kind: 'no_answer'
  readonly trouble: 'too_late' | 'unknown_name' | 'refused' | 'certificate' | 'no_tls' | 'broken'
  readonly code: string
}

/** One request, as a client sends it from somewhere. */
export type ProbeRequest = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly route?: Route
}

/** The address of this machine to come from, and the one to go to; null for what the name stands for. */
export type Route = { readonly from: string; readonly to: string } | null

const BODY_BYTES_MAX = 64 * 1024

/**
 * Asks once, follows no redirect, and never throws. By node:http, since fetch would send even this through the
 * HTTP_PROXY of the environment.
 */
export function probe(
  { url, headers = {}, route = null }: ProbeRequest,
  signal: AbortSignal,
): Promise<Probe> {
  const { promise, resolve } = Promise.withResolvers<Probe>()
  const { protocol, host, hostname } = new URL(url)
  const isSecure = protocol === 'https:'
  const options = {
    agent: false,
    signal,
    headers: { ...headers, host },
    ...(route ? { hostname: route.to, localAddress: route.from } : {}),
    ...(route && isSecure && !isIP(hostname) ? { servername: hostname } : {}),
  }
  const request = (isSecure ? getSecure : getPlain)(url, options, (response) => {
    readAnswer(response).then(resolve, fail)
  })
  function fail(error: unknown): void {
    const code = codeOf(error) ?? 'no code'
    resolve({ kind: 'no_answer', trouble: signal.aborted ? 'too_late' : troubleOf(code), code })
  }
  request.on('error', fail)
  return promise
}

async function readAnswer(response: IncomingMessage): Promise<Probe> {
  const { statusCode: status = 0, headers } = response
  const answer = parseObject(await readBody(response))
  const { location } = headers
  return {
    kind: 'answer',
    status,
    location: location !== undefined && status >= 300 && status < 400 ? location : null,
    isAlibi: headers['x-request-id'] !== undefined && isOurs(answer),
    version: textIn(answer, 'version'),
    used: readUsed(status, headers['ratelimit'], headers['ratelimit-policy']),
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    // Leaving the loop also closes the connection of a server that goes on sending.
    if (bytes > BODY_BYTES_MAX) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** Whether it is one of the answers that are asked for here, or one of Alibi's refusals. */
function isOurs(answer: object | null): boolean {
  if (textIn(answer, 'status') === 'ready' || textIn(answer, 'name') === 'Alibi') return true
  return textIn(answer, 'error') !== null
}

function textIn(answer: object | null, field: string): string | null {
  const value: unknown = answer && Reflect.get(answer, field)
  return typeof value === 'string' ? value : null
}

/** By the fields of the IETF draft draft-ietf-httpapi-ratelimit-headers; a refused request counts as one too many. */
function readUsed(
  status: number,
  left: string | string[] | undefined,
  policy: string | string[] | undefined,
): number | null {
  const [, remaining] = /;r=([0-9]+)/.exec(String(left)) ?? []
  const [, limit] = /;q=([0-9]+)/.exec(String(policy)) ?? []
  if (remaining === undefined || limit === undefined) return null
  return Number(limit) - (status === 429 ? -1 : Number(remaining))
}

/** Node's codes, and those of OpenSSL: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function troubleOf(code: string): NoAnswer['trouble'] {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'unknown_name'
  if (code === 'ECONNREFUSED') return 'refused'
  if (/CERT|ALTNAME|UNABLE_TO_|_CRL_/.test(code)) return 'certificate'
  return /SSL|TLS|EPROTO/.test(code) ? 'no_tls' : 'broken'
}
