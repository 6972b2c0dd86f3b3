import { closeSync, openSync, writeSync } from 'node:fs'

/** Requests as they go over the wire. Those that are not repeated end the run after the last one. */
export type RequestFile = { readonly path: string; readonly isRepeated: boolean }

const CHUNK_BYTES = 1024 * 1024

type Headers = Readonly<Record<string, string>>

export function get(target: string, headers: Headers = {}): string {
  return `${head(`GET ${target}`, headers)}\r\n`
}

export function post(target: string, body: string, headers: Headers = {}): string {
  const fields = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }
  return `${head(`POST ${target}`, fields)}\r\n${body}`
}

function head(start: string, headers: Headers): string {
  const fields = Object.entries({ Host: '127.0.0.1', ...headers })
  return `${start} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}

/** Writes the requests as load/requests.lua reads them. */
export function writeRequests(path: string, requests: Iterable<string>): void {
  const file = openSync(path, 'w', 0o600)
  let chunk = ''
  for (const request of requests) {
    chunk += String(Buffer.byteLength(request)).padStart(8, '0') + request
    if (chunk.length < CHUNK_BYTES) continue
    writeSync(file, chunk)
    chunk = ''
  }
  writeSync(file, chunk)
  closeSync(file)
}
