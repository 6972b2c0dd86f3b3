import { join } from 'node:path'
import { get, writeRequests } from '../load/request-file.ts'
import { load } from '../load/wrk.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import type { Measurement, Outcome } from './measurement.ts'

/** A request may have a head of 16 KiB. */
const FILLED_LENGTH = 15_000
const PATHS = ['/app', '/languages', '/payment/cancel'] as const

const filled = (text: string) => text.repeat(Math.floor(FILLED_LENGTH / text.length))

/** What a request has beside its path: more of the target, or a header. */
type Head = { readonly target?: string; readonly headers?: Readonly<Record<string, string>> }

const HEADS: readonly (readonly [string, Head])[] = [
  ['Accept-Language: en,en,…', { headers: { 'Accept-Language': filled('en,') } }],
  ['Accept-Language: ,,…', { headers: { 'Accept-Language': filled(',') } }],
  ['Accept-Language: en;;…', { headers: { 'Accept-Language': `en${filled(';')}` } }],
  ['Accept-Encoding: x,x,…', { headers: { 'Accept-Encoding': filled('x,') } }],
  ['Accept: text/htm,…', { headers: { Accept: filled('text/htm,') } }],
  ['If-None-Match: "x",…', { headers: { 'If-None-Match': filled('"x",') } }],
  ['Cookie: a=b;a=b;…', { headers: { Cookie: filled('a=b;') } }],
  ['Cookie: a=%41%41…', { headers: { Cookie: `a=${filled('%41')}` } }],
  ['Authorization: Bearer a.a.…', { headers: { Authorization: `Bearer ${filled('a.')}` } }],
  ['Authorization: Bearer    …', { headers: { Authorization: `Bearer${filled(' ')}\tx` } }],
  ['Origin: aaa…', { headers: { Origin: filled('a') } }],
  ['X-Forwarded-For: 127.0.0.1,…', { headers: { 'X-Forwarded-For': filled('127.0.0.1,') } }],
  ['150 headers', { headers: Object.fromEntries(manyHeaders()) }],
  ['?a=b&a=b&…', { target: `?${filled('a=b&')}` }],
  ['?lang=%41%41…', { target: `?lang=${filled('%41')}` }],
  ['?+++…', { target: `?${filled('+')}` }],
]

function manyHeaders(): [string, string][] {
  return Array.from({ length: 150 }, (_, index) => [`X-Header-${index}`, 'x'.repeat(80)])
}

/** How many times a plain request's processor time one takes that fills its head with one thing. */
export const FILLED_HEADS: Measurement = {
  name: 'heads',
  runs: 'when named or written',
  async measure(run: Run): Promise<Outcome> {
    const file = join(run.folder, 'requests')
    await using alibi = await run.startAlibi({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    const step = progress('filled heads')
    for (const path of PATHS) await costOf(alibi, file, path)
    const plain = new Map<string, number>()
    for (const path of PATHS) plain.set(path, await costOf(alibi, file, path))

    const rows: string[][] = []
    for (const [index, [name, head]] of HEADS.entries()) {
      step(index / HEADS.length)
      const row = [`\`${name}\``]
      for (const path of PATHS) {
        const cost = await costOf(alibi, file, path, head)
        row.push((cost / (plain.get(path) ?? Number.NaN)).toFixed(1))
      }
      rows.push(row)
    }
    step(1)
    return { table: { name: 'heads', head: ['filled with', ...PATHS], rows }, raw: rows }
  },
}

/** The processor time of one request, in microseconds. */
async function costOf(
  server: MeasuredServer,
  file: string,
  path: string,
  { target = '', headers = {} }: Head = {},
): Promise<number> {
  writeRequests(file, [get(path + target, headers)])
  const before = server.processorSeconds()
  const { requests } = await load(server.url, { path: file, isRepeated: true }, { seconds: 1 })
  return (1e6 * (server.processorSeconds() - before)) / requests
}
