import type { RateLimiter, RateLimitSubject } from '../../../application/ports.ts'
import { networkOf, ONE_CLIENT } from '../../../domain/client-network.ts'
import type { Email } from '../../../domain/email.ts'
import { createHandler, type Handler } from '../../../interfaces/http/handler.ts'
import type { HttpOptions } from '../../../interfaces/http/request/options.ts'
import { hasOneHost, readTarget } from '../../../interfaces/http/request/target.ts'
import { checkAnswer } from '../answers/checked-answers.ts'
import { fakePorts, issueToken, ORIGIN } from '../fakes.ts'
import { unlimitedOptions } from './http-options.ts'

export const PEER = '192.0.2.1'
export const EMAIL = 'ada@example.com' as Email
export const WRONG_CODE = '999999'

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** The HTTP side on fake ports, without limits, and a client of it as its users would write one. */
export function openHttp(own: Partial<HttpOptions> = {}, ports = fakePorts()) {
  const options: HttpOptions = { ...unlimitedOptions(ports), ...own }
  const answer = createHandler(options)
  const handler: Handler = async (request, peerAddress, sent) => {
    const response = await answer(request, peerAddress, sent)
    const isPath = hasOneHost(request.headers) && readTarget(request.url, sent).path !== ''
    const url = isPath ? request.url : 'http://localhost/a path that is none of ours'
    await checkAnswer({ url, method: request.method }, response)
    return response
  }

  type Sent = { headers?: Record<string, string>; body?: Body; peer?: string | null }
  async function send(method: string, path: string, { headers, body, peer = PEER }: Sent = {}) {
    const request = new Request(`http://localhost${path}`, {
      method,
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { body }),
    })
    return read(await handler(request, () => peer))
  }

  return {
    ports,
    options,
    handler,
    send,
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, { headers }),
    post: (
      path: string,
      body: unknown,
      headers: Record<string, string> = {},
      peer: string = PEER,
    ) =>
      send('POST', path, {
        peer,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    /** Mails a code to the address and returns it. */
    async mailCode(email: string = EMAIL): Promise<string> {
      await this.post('/auth/verify-email', { email })
      return ports.mailer.mails.at(-1)!.code
    },
    givePremium: (email: string = EMAIL) =>
      ports.premiumGrants.add({ id: email, email: email as Email }, ORIGIN),
    tokenOf: (email: string = EMAIL) => issueToken(ports, email as Email),
  }
}

export type Answered = Awaited<ReturnType<typeof read>>

async function read(response: Response) {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : null) as unknown,
    header,
  }
}

/** What an error looks like: exactly this status and exactly this body. */
export function answers(status: number, error: string, message?: string) {
  return { status, body: message === undefined ? { error } : { error, message } }
}

/** A limiter that lets `limit` requests of each client through and then none. */
export function countingLimiter(limit: number, windowMs = 900_000) {
  const taken = new Map<string, number>()
  return {
    limit,
    windowMs,
    taken,
    async take(subject: RateLimitSubject) {
      const client =
        subject.kind === 'address' ? subject.email : networkOf(subject.address, ONE_CLIENT)
      const width = subject.kind
      const before = taken.get(client) ?? 0
      const accepted = before < limit
      if (accepted) taken.set(client, before + 1)
      return { accepted, remaining: limit - (taken.get(client) ?? 0), resetMs: 872_400, width }
    },
  } satisfies RateLimiter & { taken: Map<string, number> }
}
