import { type RequestRefusal, RequestRefused } from '../refusal.ts'
import type { BodyBudget, BodyGroup } from './body-budget.ts'

/** How much of a body that is refused, or that nobody reads, is dropped. */
const DROPPED_BYTES_MAX = 4 * 1024 * 1024

/** How long the rest of a body may take that nobody reads, or that is on its way while the service ends. */
export const BODY_GRACE_MS = 2000

/** A body that has not ended this long after its head counts as under way. */
export const UNDER_WAY_AFTER_MS = 250

/** How long after its head a body has to end. */
export const BODY_MAX_MS = 10_000

/** A longer one is read in pieces, so that what has come of it counts. */
export const SHORT_BYTES_MAX = 16 * 1024

/** No answer waits for so much of a body that is not read. Bun drops it. */
const UNREAD_BYTES_MAX = 64 * 1024

type Reading = {
  readonly bytesMax: number
  readonly group: BodyGroup
  /** The key of the client that sends it. */
  readonly client: string
  readonly budget: BodyBudget
  readonly stopping: AbortSignal
}

/**
 * The whole body, or null where there is none. Throws `request_too_large` for one that is longer than `bytesMax`,
 * `invalid_request` when it breaks off, `too_many_bodies` when it has to give way to others, `body_too_slow` when it
 * takes longer than 10 seconds, and `stopping` when it is still on its way while the service ends.
 */
export async function readBody(request: Request, reading: Reading): Promise<Buffer | null> {
  const announced = announcedBytes(request.headers)
  if (announced > reading.bytesMax) throw new RequestRefused('request_too_large')
  const isShort = announced > 0 && announced <= SHORT_BYTES_MAX
  if (isShort && reading.budget.reserve(announced)) return readWhole(request, announced, reading)
  return request.body && readPieces(request.body, hasChunks(request.headers), reading)
}

/** In one go, which costs half as much as in pieces. Once it is under way, it counts with all that it announces. */
async function readWhole(request: Request, announced: number, reading: Reading): Promise<Buffer> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const arrival = watchArrival(reading, {
    giveUp: (reason) => reject(new RequestRefused(reason)),
    bytesUnderWay: announced,
  })
  try {
    const whole = request.bytes().catch(breakOff)
    const { buffer, byteOffset, byteLength } = await Promise.race([whole, givenUp])
    return Buffer.from(buffer, byteOffset, byteLength)
  } finally {
    reading.budget.release(announced)
    arrival.end()
  }
}

async function readPieces(
  body: ReadableStream<Uint8Array>,
  isInChunks: boolean,
  reading: Reading,
): Promise<Buffer> {
  const reader = body.getReader()
  const kept = pieceStore()
  let refusal: RequestRefusal | null = null
  function refuse(reason: RequestRefusal) {
    refusal ??= reason
    kept.drop()
    arrival.endAccount()
  }
  const arrival = watchArrival(reading, {
    giveUp(reason) {
      refuse(reason)
      // Its connection ends with its answer, so that the rest has to come before.
      const isDropped = isInChunks && reason === 'too_many_bodies'
      if (!isDropped) void reader.cancel()
    },
  })
  try {
    for (let length = 0; length <= DROPPED_BYTES_MAX; ) {
      const { done, value: piece } = await reader.read().catch(breakOff)
      if (done) break
      length += piece.byteLength
      if (length > reading.bytesMax) refuse('request_too_large')
      else arrival.add(piece.byteLength)
      if (refusal === null) kept.append(piece)
      else free(piece)
    }
    if (refusal !== null) throw new RequestRefused(refusal)
    return kept.join()
  } finally {
    arrival.end()
    kept.drop()
  }
}

function breakOff(cause: unknown): never {
  throw new RequestRefused('invalid_request', { cause })
}

// Why: docs/decisions.md#a-refused-body-is-read-to-its-end
/**
 * Resolves once an answer may go out to a body that nobody reads: a connection that is closed before the rest has come
 * is reset. Where it stays open, that is at once, and Bun drops the rest; in chunks once they have been read and
 * dropped, up to 4 MiB, after 10 seconds at most; else, since nothing tells when the rest has come, after two seconds.
 */
export async function dropBody({ body, headers }: Request, stopping: AbortSignal): Promise<void> {
  if (body?.locked || announcedBytes(headers) > DROPPED_BYTES_MAX) return
  if (hasChunks(headers)) return body ? dropChunks(body, stopping) : undefined
  if (!/\bclose\b/i.test(headers.get('connection') ?? '')) return
  // Read in pieces, many bodies at a time would take a quarter of a megabyte each.
  void body?.cancel()
  await new Promise((resolve) => setTimeout(resolve, BODY_GRACE_MS))
}

async function dropChunks(body: ReadableStream<Uint8Array>, stopping: AbortSignal): Promise<void> {
  const reader = body.getReader()
  using _ = limitTime(stopping, () => void reader.cancel())
  for (let length = 0; length <= DROPPED_BYTES_MAX; ) {
    // A client that has gone sends no more.
    const { value: piece } = await reader.read().catch(() => ({ value: undefined }))
    if (piece === undefined) return
    length += piece.byteLength
    free(piece)
  }
}

/** Whether a body may be so long that more of it may come than what came with its head. */
export function mayBeLong(headers: Headers): boolean {
  return hasChunks(headers) || announcedBytes(headers) > UNREAD_BYTES_MAX
}

/**
 * Whether the answer has to end the connection: Bun would take the rest of a body, however long that is. And where a
 * trailer follows chunks, it answers twice (docs/upstream.md): nobody may take the second answer for that to another
 * request.
 */
export function endsConnection(headers: Headers): boolean {
  return hasChunks(headers) || announcedBytes(headers) > DROPPED_BYTES_MAX
}

function announcedBytes(headers: Headers): number {
  return Number(headers.get('content-length') ?? 0)
}

/** Whether the body says where it ends only when it does. Bun takes no other transfer coding. */
function hasChunks(headers: Headers): boolean {
  return headers.has('transfer-encoding')
}

/**
 * Watches a body until its end. `giveUp` is called where it has to give way to others or takes too long, and where the
 * rest does not come within the grace period after `stopping`.
 */
function watchArrival(
  { group, client, budget, stopping }: Reading,
  {
    giveUp,
    bytesUnderWay = 0,
  }: {
    giveUp: (reason: RequestRefusal) => void
    /** What it counts with from when it is under way, before anything is added. */
    bytesUnderWay?: number
  },
) {
  const account = budget.open({ group, client, giveWay: () => giveUp('too_many_bodies') })
  const underWay = setTimeout(() => {
    account.countAsUnderWay()
    account.add(bytesUnderWay)
  }, UNDER_WAY_AFTER_MS)
  const time = limitTime(stopping, giveUp)
  function endAccount() {
    clearTimeout(underWay)
    account.end()
  }
  return {
    add: account.add,
    /** What still comes of it is dropped, and counts nothing. */
    endAccount,
    end() {
      time[Symbol.dispose]()
      endAccount()
    },
  }
}

/** Calls `giveUp` when a body has had its ten seconds, and once the grace period after `stopping` is over. */
function limitTime(
  stopping: AbortSignal,
  giveUp: (reason: 'body_too_slow' | 'stopping') => void,
): Disposable {
  const timers = [setTimeout(() => giveUp('body_too_slow'), BODY_MAX_MS)]
  const startGracePeriod = () =>
    void timers.push(setTimeout(() => giveUp('stopping'), BODY_GRACE_MS))
  if (stopping.aborted) startGracePeriod()
  stopping.addEventListener('abort', startGracePeriod)
  return {
    [Symbol.dispose]() {
      stopping.removeEventListener('abort', startGracePeriod)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** A piece below this size is joined with others: by itself it would take many times its bytes. */
const SMALL_PIECE_BYTES = 4096

/** Keeps what has arrived of a body in about as much memory as it has bytes. */
function pieceStore() {
  const pieces: Uint8Array[] = []
  let joined = new ArrayBuffer()
  let joinedLength = 0

  function endJoined() {
    if (joinedLength > 0) pieces.push(new Uint8Array(joined, 0, joinedLength))
    joined = new ArrayBuffer()
    joinedLength = 0
  }

  return {
    append(piece: Uint8Array): void {
      if (piece.byteLength >= SMALL_PIECE_BYTES) {
        endJoined()
        pieces.push(piece)
        return
      }
      const needed = joinedLength + piece.byteLength
      if (needed > joined.byteLength) joined = joined.transfer(Math.max(needed, 2 * joinedLength))
      new Uint8Array(joined).set(piece, joinedLength)
      joinedLength = needed
    },
    /** A copy of all pieces. */
    join(): Buffer {
      endJoined()
      return Buffer.concat(pieces)
    },
    /** Forgets all pieces. */
    drop(): void {
      endJoined()
      pieces.splice(0).forEach(free)
    },
  }
}

/** Gives the memory back at once: under a flood, the garbage collector would come too late. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
