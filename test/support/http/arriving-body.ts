import { expect, jest } from 'bun:test'
import { BODY_MAX_MS } from '../../../interfaces/http/request/body/body.ts'
import type { openHttp } from './http-client.ts'

type Http = ReturnType<typeof openHttp>

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
}

/** Moves the clock, and lets what it has set off run. */
export async function pass(milliseconds: number): Promise<void> {
  await settle()
  jest.advanceTimersByTime(milliseconds)
  await settle()
}

/** Takes it that a request whose body goes on coming is given up after ten seconds, and its connection with it. */
export async function expectTenSeconds(request: ReturnType<typeof begin>): Promise<void> {
  await request.send('{')
  await pass(BODY_MAX_MS - 1)
  expect(await request.answered()).toBeNull()
  await pass(1)
  const answer = await request.answer
  expect(answer).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
  expect(answer.header('retry-after')).toBe('30')
  expect(answer.header('connection')).toBe('close')
}

/** A request whose body comes as the test says. */
export function begin(
  http: Http,
  path: string,
  { headers = {}, peer = '192.0.2.1' }: { headers?: Record<string, string>; peer?: string } = {},
) {
  const arriving = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  let isDropped = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => arriving.resolve(controller),
    cancel() {
      isDropped = true
    },
  })
  const answer = http.send('POST', path, { body, headers, peer })
  return {
    answer,
    isDropped: () => isDropped,
    /** What has been answered by now; null for nothing yet. */
    async answered() {
      await settle()
      return Promise.race([answer, Promise.resolve(null)])
    },
    async send(bytes: Uint8Array | string) {
      const piece = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
      ;(await arriving.promise).enqueue(piece)
      await settle()
    },
    async end(rest = '') {
      if (rest !== '') await this.send(rest)
      ;(await arriving.promise).close()
      await settle()
      return answer
    },
  }
}
