import { sendOne } from '../load/send-one.ts'
import { median } from '../report/figures.ts'
import type { Run } from '../run/run.ts'
import type { Scenario, Stage } from '../scenarios/scenario.ts'
import type { BenchDatabase } from '../seed/bench-database.ts'
import { type Asked, countStatements } from '../servers/statement-counter.ts'

export type { Asked } from '../servers/statement-counter.ts'

/** Few enough to come between two of the service's own tasks, most of the time. */
const REQUESTS = 31

/** What a request of each scenario asks of PostgreSQL, alone: the median, since the service's own tasks ask, too. */
export async function countAsked(
  run: Run,
  scenarios: readonly Scenario[],
  { database, addresses }: { database: BenchDatabase; addresses: number },
): Promise<ReadonlyMap<string, Asked>> {
  using counter = await countStatements(database.url)
  await using alibi = await run.startAlibi({ database: { ...database, url: counter.url } })
  const found = new Map<string, Asked>()
  for (const scenario of scenarios) {
    const { name, tokens } = scenario
    const { takeNumbers } = run
    const stage: Stage = { url: alibi.url, database, addresses, tokens, takeNumbers }
    const requests = await scenario.requests(stage, REQUESTS)
    const each: Asked[] = []
    for (const request of requests.slice(0, REQUESTS)) {
      const before = counter.asked()
      await sendOne(alibi.url, request)
      const after = counter.asked()
      each.push({
        statements: after.statements - before.statements,
        roundTrips: after.roundTrips - before.roundTrips,
      })
    }
    found.set(name, {
      statements: median(each.map(({ statements }) => statements)),
      roundTrips: median(each.map(({ roundTrips }) => roundTrips)),
    })
  }
  return found
}
