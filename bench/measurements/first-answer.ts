import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../report/figures.ts'
import { progress } from '../report/progress.ts'
import type { Run } from '../run/run.ts'
import { sqliteDatabase } from '../seed/bench-database.ts'
import { copyDatabase, filledDatabase } from '../seed/database.ts'
import { startAlibi } from '../servers/alibi.ts'
import { startBare } from '../servers/bare.ts'
import type { Measurement, Outcome } from './measurement.ts'

/** Two that pass the router by, and one that waits for it. */
const PATHS = ['/health', '/languages', '/ready']
const STARTS = { whole: 15, short: 3 }

/** From the start of a process to the first 200. */
export const FIRST_ANSWER: Measurement = {
  name: 'first-answer',
  runs: 'always',
  async measure(run: Run): Promise<Outcome> {
    const { options, executables, providers } = run
    const starts = options.isShort ? STARTS.short : STARTS.whole
    const folder = join(run.folder, 'first-answer')
    mkdirSync(folder)
    const filled = filledDatabase(executables.alibi, { addresses: 1000, folder: options.folder })
    const database = sqliteDatabase(copyDatabase(filled, folder))
    const step = progress('first answer')
    const raw = { bare: [] as number[], ...Object.fromEntries(PATHS.map((path) => [path, []])) }
    const found: Record<string, number[]> = raw

    run.bare.pause()
    for (let start = 0; start < starts; start++) {
      step(start / starts)
      await using bare = await startBare(executables.bare)
      found['bare']?.push(bare.answeredAfterMs)
      for (const path of PATHS) {
        await using alibi = await startAlibi(executables.alibi, {
          ...{ database, folder, providers, path },
        })
        found[path]?.push(alibi.answeredAfterMs)
      }
    }
    run.bare.resume()
    step(1)

    const base = median(raw.bare)
    const rows = Object.entries(found).map(([name, times]) => {
      const ms = median(times)
      return [name, ms.toFixed(0), (ms / base).toFixed(1)]
    })
    const head = ['first answer', 'ms', 'of the bare server']
    return { table: { name: 'first-answer', head, rows }, raw }
  },
}
