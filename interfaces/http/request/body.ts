import { RequestRefused } from './refusal.ts'

/**
 * How much of a too long body is read and dropped: a client that writes before it reads would never see the refusal.
 */
const DISCARDED_BYTES_MAX = 4 * 1024 * 1024

/** How long the rest of a body may take that was refused, or that is on its way while the service ends. */
export const BODY_GRACE_MS = 2000

/**
 * The whole body, or null where the method has none. Throws `request_too_large` for one that is longer than `bytesMax`,
 * `invalid_request` when it does not arrive whole, and `stopping` when it is still on its way while the service ends.
 */
export async function readBody(
  request: Request,
  { bytesMax, stopping }: { bytesMax: number; stopping: AbortSignal },
): Promise<Buffer | null> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > DISCARDED_BYTES_MAX) throw new RequestRefused('request_too_large')
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return null

  const arrival = arrivalOf(request.body, stopping)
  if (announced > bytesMax) arrival.startGracePeriod()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of arrival.chunks) {
    length += chunk.byteLength
    if (length > DISCARDED_BYTES_MAX) break
    if (length <= bytesMax) chunks.push(chunk)
    else arrival.startGracePeriod()
  }
  if (Math.max(announced, length) > bytesMax) throw new RequestRefused('request_too_large')
  if (arrival.isGivenUp()) throw new RequestRefused('stopping')
  return Buffer.concat(chunks)
}

/** A body on its way. It ends early where the rest does not come within the grace period, or after `stopping`. */
function arrivalOf(body: ReadableStream<Uint8Array>, stopping: AbortSignal) {
  const reader = body.getReader()
  let timer: Timer | undefined
  let isGivenUp = false
  function giveUp() {
    isGivenUp = true
    void reader.cancel()
  }
  function startGracePeriod() {
    timer ??= setTimeout(giveUp, BODY_GRACE_MS)
  }
  async function* read() {
    if (stopping.aborted) startGracePeriod()
    stopping.addEventListener('abort', startGracePeriod)
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
    } catch (error) {
      throw new RequestRefused('invalid_request', { cause: error })
    } finally {
      stopping.removeEventListener('abort', startGracePeriod)
      clearTimeout(timer)
    }
  }
  return { chunks: read(), startGracePeriod, isGivenUp: () => isGivenUp }
}
