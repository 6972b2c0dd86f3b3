import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../options.ts'
import { type BenchDatabase, sqliteDatabase } from '../seed/bench-database.ts'
import { copyDatabase, filledDatabase } from '../seed/database.ts'
import { type MeasuredAlibi, startAlibi } from '../servers/alibi.ts'
import { startBare } from '../servers/bare.ts'
import { alibiExecutable, bareExecutable } from '../servers/executables.ts'
import type { MeasuredServer } from '../servers/measured-process.ts'
import { type Providers, startProviders } from '../servers/providers.ts'

/** What all measurements of one run share. */
export type Run = AsyncDisposable & {
  readonly options: Options
  /** A folder of this run alone, beside the databases that are kept. */
  readonly folder: string
  readonly executables: { readonly alibi: string; readonly bare: string }
  readonly providers: Providers
  readonly bare: MeasuredServer
  /**
   * Starts the service on a database, by default a SQLite one in which so many have paid, and which only it writes to
   * where it `writes`.
   */
  startAlibi(asked?: {
    database?: BenchDatabase
    addresses?: number
    writes?: boolean
    settings?: Readonly<Record<string, string>>
  }): Promise<MeasuredAlibi>
  /** The first of so many numbers that nobody else gets. They name addresses that have never been used. */
  takeNumbers(amount: number): number
}

/** Above those of all who have paid. */
const FIRST_NUMBER = 50_000_000

export async function openRun(options: Options): Promise<Run> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(options.folder, 'run-'))
  const executables = { alibi: options.binary ?? alibiExecutable(), bare: bareExecutable() }
  const providers = await startProviders()
  const bare = await startBare(executables.bare)
  let numbers = FIRST_NUMBER
  let started = 0

  return {
    options,
    folder,
    executables,
    providers,
    bare,
    async startAlibi({
      database,
      addresses = options.addresses,
      writes = false,
      settings = {},
    } = {}) {
      const own = join(folder, String(++started))
      mkdirSync(own)
      function ownSqlite(): BenchDatabase {
        const filled = filledDatabase(executables.alibi, { addresses, folder: options.folder })
        return sqliteDatabase(writes ? copyDatabase(filled, own) : filled)
      }
      return startAlibi(executables.alibi, {
        database: database ?? ownSqlite(),
        folder: own,
        providers,
        settings,
      })
    },
    takeNumbers(amount) {
      numbers += amount
      return numbers - amount
    },
    async [Symbol.asyncDispose]() {
      await bare[Symbol.asyncDispose]()
      await providers[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
