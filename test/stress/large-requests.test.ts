import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openProduction } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'
import { megabytes, milliseconds, printFigures } from '../support/stress/figures.ts'
import {
  hasProcessFigures,
  processorMsOf,
  residentBytes,
} from '../support/stress/process-figures.ts'
import { rawRequest } from '../support/stress/raw-connection.ts'
import { loggedErrors } from '../support/stress/shop.ts'

// Requests that want to be too large: their heads, their bodies, what their JSON makes of few bytes.

const HUNDRED_MEGABYTES = 100_000_000
const CHUNK = 'x'.repeat(64 * 1024)
const PIECE = `${CHUNK.length.toString(16)}\r\n${CHUNK}\r\n`
const JSON_PATHS = ['/auth/verify-email', '/auth/confirm-email', '/checkout', '/auth/token']
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Sends what `pieces` give until the other side closes, and returns what it said. After the first comes `midway`. */
function pour(
  url: string,
  pieces: Iterator<string>,
  midway: () => Promise<void>,
): Promise<{ answer: string; bytesSent: number }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let [answer, bytesSent] = ['', 0]
  return new Promise((resolve, reject) => {
    function sendOne(): boolean {
      const { value, done } = pieces.next()
      if (done || !socket.writable) return false
      bytesSent += value.length
      return socket.write(value)
    }
    function send() {
      while (sendOne());
    }
    socket.on('connect', () => {
      sendOne()
      midway().then(send, reject)
    })
    socket.on('drain', send)
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve({ answer, bytesSent }))
  })
}

function* repeat(first: string, piece: string, bytes: number): Generator<string, undefined> {
  yield first
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
}

test('whatever is too large is refused without being kept, and others are served meanwhile', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const http = client(alibi.url)
  const hasFigures = hasProcessFigures()
  const resident = () => (hasFigures ? residentBytes(alibi.pid) : 0)
  expect((await http.get('/languages')).status).toBe(200)
  const before = resident()
  let most = before
  let slowestMs = 0
  let isOver = false
  async function askAnother(): Promise<void> {
    const askedAt = performance.now()
    expect((await http.get('/auth/check?email=a@example.com')).status).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - askedAt)
  }
  const others = (async () => {
    while (!isOver) {
      await askAnother()
      most = Math.max(most, resident())
      await Bun.sleep(5)
    }
  })()

  const huge = { 'Content-Length': String(HUNDRED_MEGABYTES) }
  const post = (path: string, headers: Record<string, string>) =>
    rawRequest('POST', path, { headers: { ...JSON_TYPE, ...headers } })
  const inPieces = { 'Transfer-Encoding': 'chunked' }
  const pourOut = (pieces: Iterator<string>) => pour(alibi.url, pieces, askAnother)
  const refused: Record<string, { answer: string; bytesSent: number }> = {
    'an announced body': await pourOut(repeat(post('/auth/login', huge), CHUNK, HUNDRED_MEGABYTES)),
    'a body in pieces': await pourOut(
      repeat(post('/auth/login', inPieces), PIECE, HUNDRED_MEGABYTES),
    ),
    'a webhook in pieces': await pourOut(
      repeat(post('/webhook/stripe', inPieces), PIECE, HUNDRED_MEGABYTES),
    ),
    'a header': await pourOut(
      repeat('GET / HTTP/1.1\r\nHost: x\r\nX-Large: ', CHUNK, HUNDRED_MEGABYTES),
    ),
    'many headers': await pourOut(
      repeat('GET / HTTP/1.1\r\nHost: x\r\n', 'X-Many: x\r\n', HUNDRED_MEGABYTES),
    ),
    'a target': await pourOut(repeat('GET /', CHUNK, HUNDRED_MEGABYTES)),
  }
  isOver = true
  await others

  const seen = Object.entries(refused).map(
    ([name, { answer, bytesSent }]) =>
      `${name} ${answer.slice(9, 12) || 'closed'} after ${(bytesSent / 1_000_000).toFixed(1)} MB`,
  )
  printFigures(
    'large requests',
    `${seen.join(', ')}; memory ${hasFigures ? `${megabytes(before)}, at most ${megabytes(most)}` : 'not measured'}; ` +
      `others waited ${milliseconds(slowestMs)} at most`,
  )
  // Whoever is still sending may find the connection closed before the answer is read.
  for (const { answer, bytesSent } of Object.values(refused)) {
    expect(answer).toMatch(/^(?:HTTP\/1\.1 4(?:00|13|14|31) |$)/)
    expect(bytesSent).toBeLessThan(HUNDRED_MEGABYTES / 2)
  }
  expect(most - before).toBeLessThan(HUNDRED_MEGABYTES / 2)
})

const HOSTILE: readonly (readonly [name: string, body: (size: number) => string])[] = [
  ['nested arrays', (size) => `{"email":${'['.repeat(size * 30)}${']'.repeat(size * 30)}}`],
  ['nested objects', (size) => `${'{"email":'.repeat(size * 6)}1${'}'.repeat(size * 6)}`],
  [
    'many fields',
    (size) => `{${Array.from({ length: size * 6 }, (_, index) => `"f${index}":1`).join(',')}}`,
  ],
  ['one name again and again', (size) => `{${'"email":"a",'.repeat(size * 5)}"email":1}`],
  [
    'a prototype',
    () => '{"__proto__":{"email":"a@example.com"},"constructor":{"prototype":{"email":1}}}',
  ],
]
/** The largest that the service reads, and one of a tenth of it. */
const [LARGE, SMALL] = [1000, 100]
const TIMES = 10

test.each(HOSTILE)(
  'JSON of %s is refused like any other nonsense, and costs no more than its length asks for',
  async (name, bodyOf) => {
    await using production = await openProduction()
    const alibi = await production.start()
    expect(bodyOf(LARGE).length).toBeLessThan(64 * 1024)

    /** In processor time, which other work on the machine hardly changes. */
    async function costOf(body: string, times: number): Promise<number> {
      const before = hasProcessFigures() ? processorMsOf(alibi.pid) : 0
      for (let time = 0; time < times; time++) {
        for (const path of JSON_PATHS) {
          const response = await fetch(alibi.url + path, {
            method: 'POST',
            headers: JSON_TYPE,
            body,
          })
          expect(response.status).toBe(400)
          expect(Object.keys((await response.json()) as object)).toEqual(['error'])
        }
      }
      return hasProcessFigures() ? processorMsOf(alibi.pid) - before : 0
    }
    const smallMs = await costOf(bodyOf(SMALL), TIMES * (LARGE / SMALL))
    const largeMs = await costOf(bodyOf(LARGE), TIMES)
    printFigures(`JSON of ${name}`, `${largeMs} ms of a processor, ${smallMs} ms in pieces`)
    expect(largeMs).toBeLessThanOrEqual(3 * smallMs)
    expect(loggedErrors(alibi)).toEqual([])
    expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
  },
)
