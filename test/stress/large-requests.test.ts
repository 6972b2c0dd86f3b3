import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openProduction } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'
import { megabytes, milliseconds, printFigures } from '../support/stress/figures.ts'
import { hasProcessFigures, residentBytes } from '../support/stress/process-figures.ts'
import { rawRequest } from '../support/stress/raw-connection.ts'
import { loggedErrors } from '../support/stress/shop.ts'

// Requests that want to be too large: their heads, their bodies, what their JSON makes of few bytes.

const HUNDRED_MEGABYTES = 100_000_000
const CHUNK = 'x'.repeat(64 * 1024)
const PIECE = `${CHUNK.length.toString(16)}\r\n${CHUNK}\r\n`
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Sends what `pieces` give until the other side closes, and returns what it said. */
function pour(
  url: string,
  pieces: Iterator<string>,
): Promise<{ answer: string; bytesSent: number }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let [answer, bytesSent] = ['', 0]
  return new Promise((resolve) => {
    function send() {
      for (;;) {
        const { value, done } = pieces.next()
        if (done || !socket.writable) return
        bytesSent += value.length
        if (!socket.write(value)) return
      }
    }
    socket.on('connect', send)
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
  const others = (async () => {
    while (!isOver) {
      const askedAt = performance.now()
      expect((await http.get('/auth/check?email=a@example.com')).status).toBe(200)
      slowestMs = Math.max(slowestMs, performance.now() - askedAt)
      most = Math.max(most, resident())
      await Bun.sleep(5)
    }
  })()

  const huge = { 'Content-Length': String(HUNDRED_MEGABYTES) }
  const post = (path: string, headers: Record<string, string>) =>
    rawRequest('POST', path, { headers: { ...JSON_TYPE, ...headers } })
  const inPieces = { 'Transfer-Encoding': 'chunked' }
  const refused: Record<string, { answer: string; bytesSent: number }> = {
    'an announced body': await pour(
      alibi.url,
      repeat(post('/auth/login', huge), CHUNK, HUNDRED_MEGABYTES),
    ),
    'a body in pieces': await pour(
      alibi.url,
      repeat(post('/auth/login', inPieces), PIECE, HUNDRED_MEGABYTES),
    ),
    'a webhook in pieces': await pour(
      alibi.url,
      repeat(post('/webhook/stripe', inPieces), PIECE, HUNDRED_MEGABYTES),
    ),
    'a header': await pour(
      alibi.url,
      repeat('GET / HTTP/1.1\r\nHost: x\r\nX-Large: ', CHUNK, HUNDRED_MEGABYTES),
    ),
    'many headers': await pour(
      alibi.url,
      repeat('GET / HTTP/1.1\r\nHost: x\r\n', 'X-Many: x\r\n', HUNDRED_MEGABYTES),
    ),
    'a target': await pour(alibi.url, repeat('GET /', CHUNK, HUNDRED_MEGABYTES)),
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
  expect(slowestMs).toBeLessThan(2000)
})

test.each([
  ['nested arrays', `{"email":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ['nested objects', `${'{"email":'.repeat(6000)}1${'}'.repeat(6000)}`],
  ['many fields', `{${Array.from({ length: 6000 }, (_, index) => `"f${index}":1`).join(',')}}`],
  ['one name again and again', `{${'"email":"a",'.repeat(5000)}"email":1}`],
  [
    'a prototype',
    '{"__proto__":{"email":"a@example.com"},"constructor":{"prototype":{"email":1}}}',
  ],
])('JSON of %s is refused like any other nonsense, in no time', async (_, body) => {
  await using production = await openProduction()
  const alibi = await production.start()
  expect(body.length).toBeLessThan(64 * 1024)
  const before = performance.now()
  for (const path of ['/auth/verify-email', '/auth/confirm-email', '/checkout', '/auth/token']) {
    const response = await fetch(alibi.url + path, { method: 'POST', headers: JSON_TYPE, body })
    expect(response.status).toBe(400)
    expect(Object.keys((await response.json()) as object)).toEqual(['error'])
  }
  expect(performance.now() - before).toBeLessThan(2000)
  expect(loggedErrors(alibi)).toEqual([])
  expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
})
