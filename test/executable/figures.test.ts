import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { openProduction } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'

const STARTS = 5
const REQUESTS = 2000

/** Resident memory in megabytes. Null where the system has no /proc. */
function residentMegabytes(pid: number): number | null {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return null
  const [, kilobytes] = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(file, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

test('it is ready as soon as it has started; what that takes is printed', async () => {
  await using production = await openProduction()
  const starts: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const before = performance.now()
    const alibi = await production.start()
    expect((await client(alibi.url).get('/ready')).status).toBe(200)
    starts.push(Math.round(performance.now() - before))
    await alibi.stop()
  }

  const alibi = await production.start()
  const { get } = client(alibi.url)
  const idle = residentMegabytes(alibi.pid)
  for (let request = 0; request < REQUESTS; request++) {
    expect((await get('/auth/check?email=someone@example.com')).status).toBe(200)
  }
  console.log({
    executableMegabytes: Math.round(statSync(production.executable).size / 1_000_000),
    millisecondsToFirstAnswer: starts,
    residentMegabytes: { idle, afterRequests: residentMegabytes(alibi.pid) },
  })
})
