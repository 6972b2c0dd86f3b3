import { afterAll, beforeAll } from 'bun:test'

/** Short enough that the words of a link come in two of them. */
const PIECE_BYTES = 64
/** Longer than a frame of a screen takes, so that the browser shows the page as far as it is there. */
const PAUSE_MS = 20

/** Data that no visitor sees, and so need not be waited for. */
const UNSEEN = /<script type="application\/json"[^>]*>.*<\/script>/s

/** Gives a test file a network between the browser and the service, over which documents come in piece by piece. */
export function slowNetworkSetup(service: () => string) {
  let network: ReturnType<typeof openNetwork>
  beforeAll(() => {
    network = openNetwork(service())
  })
  afterAll(() => network.stop(true))

  return {
    /** The service as the browser reaches it. */
    url: () => `http://localhost:${network.port}`,
  }
}

function openNetwork(service: string) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const answer = await fetch(service + pathname + search, {
        headers: { 'x-forwarded-for': request.headers.get('x-forwarded-for') ?? '' },
      })
      const headers = new Headers(answer.headers)
      headers.delete('content-encoding')
      headers.delete('content-length')
      const { status } = answer
      if (!headers.get('content-type')?.startsWith('text/html'))
        return new Response(answer.body, { status, headers })
      return new Response(trickle(await answer.text()), { status, headers })
    },
  })
}

/** In pieces of bytes, of which the first may end in the middle of a letter, as those of a network may. */
function trickle(document: string): ReadableStream<Uint8Array> {
  const pieces = piecesOf(document)
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = pieces.next()
      if (done) return controller.close()
      controller.enqueue(value)
      await Bun.sleep(PAUSE_MS)
    },
  })
}

function* piecesOf(document: string): Generator<Uint8Array, undefined> {
  const { index, 0: unseen } = UNSEEN.exec(document) ?? { index: document.length, 0: '' }
  const encoder = new TextEncoder()
  const parts = [document.slice(0, index), unseen, document.slice(index + unseen.length)]
  for (const part of parts) {
    const bytes = encoder.encode(part)
    const length = part === unseen ? bytes.length : PIECE_BYTES
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
  }
}
