// `bun run bench:headers`: how many times a plain request one costs that fills its head with one thing, in time of the
// server's processor (Linux), which other work on the machine does not change.

import { throughput } from './support/http/throughput.ts'
import { startMeasured } from './support/service/measured-alibi.ts'

/** A request may have a head of 16 KiB. */
const FILLED_LENGTH = 15_000

const PATHS = ['/app', '/languages', '/payment/cancel'] as const

const filled = (text: string) => text.repeat(Math.floor(FILLED_LENGTH / text.length))

/** What a request has beside its path: more of the target, or a header. */
const HEADS: readonly (readonly [string, { target?: string; headers?: Record<string, string> }])[] =
  [
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

/** The time that a process has had on a processor, in ticks. */
async function processorTicks(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text()
  // The fields behind the name in brackets begin with the third (proc_pid_stat(5)); these are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

await using alibi = await startMeasured({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_GENERAL: 'off',
})
const { url, pid } = alibi

/** In ticks of the processor for each answer a second. */
async function costOf(path: string, headers: Readonly<Record<string, string>> = {}) {
  const before = await processorTicks(pid)
  const perSecond = await throughput(url, path, { headers, seconds: 1 })
  return ((await processorTicks(pid)) - before) / perSecond
}

for (const path of PATHS) await costOf(path)
console.log(`${''.padEnd(30)}${PATHS.map((path) => path.padStart(17)).join('')}`)
const plain = new Map<string, number>()
for (const path of PATHS) plain.set(path, await costOf(path))
for (const [name, { target = '', headers = {} }] of HEADS) {
  const ratios: string[] = []
  for (const path of PATHS) {
    const cost = await costOf(`${path}${target}`, headers)
    ratios.push((cost / (plain.get(path) ?? 1)).toFixed(1).padStart(17))
  }
  console.log(`${name.padEnd(30)}${ratios.join('')}`)
}
