import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { AttackSize } from '../support/abuse/attack-day.ts'
import type { ProgramFigures } from '../support/abuse/attack-program.ts'
import { megabytes, printFigures } from '../support/stress/figures.ts'
import { hasProcessFigures } from '../support/stress/process-figures.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

// A day of attack with a moved clock, in one run: a flood from a /48 of IPv6 and from IPv4 networks, mails to
// strangers, customers who are to be locked out, bodies that never end, and a mail provider at five mails a second.

const PROGRAM = join(import.meta.dir, '../support/abuse/attack-program.ts')

const WHOLE: AttackSize = {
  customers: 1000,
  chosen: 50,
  ipv6Clients: 60_000,
  ipv4Networks: 200,
  peaks: 4,
  requestsAQuarter: 1000,
}
const PART: AttackSize = {
  customers: 200,
  chosen: 10,
  ipv6Clients: 12_000,
  ipv4Networks: 40,
  peaks: 2,
  requestsAQuarter: 150,
}
const SIZE = IS_WHOLE ? WHOLE : PART

const MIB = 1024 * 1024
/** What the executable has beside what an attack adds: the program of this test has other things in its memory. */
const EXECUTABLE_BYTES = 85 * MIB
const MEMORY_MAX_BYTES = 300 * MIB

const HELD_BODIES = 60
const HOLDING_ADDRESSES = 15
const EVENT_BYTES = MIB
const REOPENED_AFTER_MS = 10_000

/** Unfinished notifications, each from its connection; one that is closed is opened again. */
function holdBodies(url: string): { end(): void } {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isOver = false

  function hold(number: number): void {
    if (isOver) return
    const seconds = Math.floor(Date.now() / 1000)
    const head = [
      'POST /webhook/stripe HTTP/1.1',
      'Host: x',
      `X-Forwarded-For: 198.51.100.${number % HOLDING_ADDRESSES}`,
      `Stripe-Signature: t=${seconds},v1=${'0'.repeat(64)}`,
      `Content-Length: ${EVENT_BYTES}`,
    ]
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(EVENT_BYTES - 1)}`)
    })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      setTimeout(() => hold(number), REOPENED_AFTER_MS).unref()
    })
  }

  for (let number = 0; number < HELD_BODIES; number++) hold(number)
  return {
    end() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function playDay(): Promise<ProgramFigures> {
  const program = Bun.spawn([process.execPath, 'run', PROGRAM, JSON.stringify(SIZE)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(program.stdout)
  const url = (await lines.next()).value ?? ''
  const held = holdBodies(url)
  try {
    program.stdin.write('begin\n')
    program.stdin.flush()
    return JSON.parse((await lines.next()).value ?? '') as ProgramFigures
  } finally {
    held.end()
    program.kill()
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

test('a day of attack refuses no customer with an old token, and hardly a new one', async () => {
  if (!hasProcessFigures()) {
    process.stdout.write('not tested here: a day of attack (no /proc)\n')
    return
  }
  const day = await playDay()
  const grown = day.residentMaxBytes - day.residentBeforeBytes
  printFigures(
    'a day of attack',
    `${day.attackRequests.toLocaleString('en')} hostile requests; refused ${day.oldRefused} of ${day.oldCustomers} ` +
      `old customers, served ${day.newServed} of ${day.newCustomers} new ones; ${day.mailsToStrangers} of ${day.mails} ` +
      `mails to strangers; ${megabytes(grown)} of memory beside the executable's ${megabytes(EXECUTABLE_BYTES)}`,
  )
  expect(day.oldRefused).toBe(0)
  expect(day.newServed).toBeGreaterThanOrEqual(0.99 * day.newCustomers)
  expect(EXECUTABLE_BYTES + grown).toBeLessThan(MEMORY_MAX_BYTES)
  expect(day.oldCustomers + day.newCustomers).toBe(SIZE.customers)
  // The flood has been played, and most of it was refused.
  expect(day.attackRequests).toBeGreaterThan(SIZE.ipv6Clients + 256 * SIZE.ipv4Networks)
  expect(day.attackStatuses['500'] ?? 0).toBe(0)
})
