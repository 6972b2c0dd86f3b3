import { type RequestRefusal, RequestRefused } from '../refusal.ts'
import type { BodyBudget, BodyGroup } from './body-budget.ts'

/**
 * How much of a too long body is read and dropped: a client that writes before it reads would never see the refusal.
 */
const DISCARDED_BYTES_MAX = 4 * 1024 * 1024

/** How long the rest of a body may take that was refused, or that is on its way while the service ends. */
export const BODY_GRACE_MS = 2000

/** A body that has not ended this long after its head counts as under way. */
export const UNDER_WAY_AFTER_MS = 250

/** How long after its head a body has to end. */
export const BODY_MAX_MS = 10_000

/** A longer one is read in pieces, so that what has come of it counts. */
export const SHORT_BYTES_MAX = 16 * 1024

/** So much of a body that is not read is taken all the same, so that its connection can go on. */
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
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > DISCARDED_BYTES_MAX) throw new RequestRefused('request_too_large')
  const isShort = announced > 0 && announced <= Math.min(SHORT_BYTES_MAX, reading.bytesMax)
  if (isShort && reading.budget.reserve(announced)) return readWhole(request, announced, reading)
  return request.body && readPieces(request.body, announced, reading)
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
  announced: number,
  reading: Reading,
): Promise<Buffer> {
  const { bytesMax } = reading
  const reader = body.getReader()
  let givenUp: RequestRefusal | null = null
  const arrival = watchArrival(reading, {
    giveUp(reason) {
      givenUp ??= reason
      void reader.cancel()
    },
  })
  if (announced > bytesMax) arrival.startGracePeriod()
  const kept = pieceStore()
  try {
    let length = 0
    for (;;) {
      const { done, value: piece } = await reader.read().catch(breakOff)
      if (done) break
      arrival.add(piece.byteLength)
      length += piece.byteLength
      if (length > DISCARDED_BYTES_MAX) break
      if (length <= bytesMax) kept.append(piece)
      else {
        free(piece)
        arrival.startGracePeriod()
      }
    }
    const isTooLarge = Math.max(announced, length) > bytesMax
    const reason = isTooLarge ? 'request_too_large' : givenUp
    if (reason !== null) throw new RequestRefused(reason)
    return kept.join()
  } finally {
    arrival.end()
    kept.drop()
  }
}

function breakOff(cause: unknown): never {
  throw new RequestRefused('invalid_request', { cause })
}

/** Whether a body may be so long that, where it is not read, its connection is better closed. */
export function mayBeLong(headers: Headers): boolean {
  return hasChunks(headers) || Number(headers.get('content-length') ?? 0) > UNREAD_BYTES_MAX
}

/** Whether the body says where it ends only when it does. Bun takes no other transfer coding. */
export function hasChunks(headers: Headers): boolean {
  return headers.has('transfer-encoding')
}

/**
 * Watches a body until its end. `giveUp` is called where it has to give way to others or takes too long, and where the
 * rest does not come within the grace period, or after `stopping`.
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
  const timers = [
    setTimeout(() => {
      account.countAsUnderWay()
      account.add(bytesUnderWay)
    }, UNDER_WAY_AFTER_MS),
    setTimeout(() => giveUp('body_too_slow'), BODY_MAX_MS),
  ]
  let isGrace = false
  function startGracePeriod() {
    if (!isGrace) timers.push(setTimeout(() => giveUp('stopping'), BODY_GRACE_MS))
    isGrace = true
  }
  if (stopping.aborted) startGracePeriod()
  stopping.addEventListener('abort', startGracePeriod)
  return {
    add: account.add,
    startGracePeriod,
    end() {
      stopping.removeEventListener('abort', startGracePeriod)
      for (const timer of timers) clearTimeout(timer)
      account.end()
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
    /** Nothing can be joined any more. */
    drop(): void {
      endJoined()
      pieces.forEach(free)
    },
  }
}

/** Gives the memory back at once: under a flood, the garbage collector would come too late. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
