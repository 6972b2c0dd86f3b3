import { RequestRefused } from './request-refused.ts'

const BYTES_MAX = 64 * 1024
const WEBHOOK_BYTES_MAX = 1024 * 1024

/** How much a path takes. The payment provider's events are the largest bodies there are. */
export function bodyBytesMax(path: string): number {
  return path.startsWith('/webhook/') ? WEBHOOK_BYTES_MAX : BYTES_MAX
}

/**
 * The whole body, or null where the method has none. Throws `request_too_large` as soon as it is known to be longer
 * than `bytesMax`, and `invalid_request` when it does not arrive whole.
 */
export async function readBody(request: Request, bytesMax: number): Promise<Buffer | null> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > bytesMax) throw new RequestRefused('request_too_large')
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return null

  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of arriving(request.body)) {
    length += chunk.byteLength
    if (length > bytesMax) throw new RequestRefused('request_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* arriving(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new RequestRefused('invalid_request', { cause: error })
  }
}
