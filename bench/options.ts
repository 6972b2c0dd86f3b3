import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// `bun run bench [--short] [--rounds N] [--seconds N] [--addresses N] [--binary PATH] [--folder PATH] [--json PATH]
// [--write] [NAME...]`

/** What the command line asks for. */
export type Options = {
  /** Scenarios and further measurements, by name. None stand for what is measured without a name. */
  readonly names: readonly string[]
  readonly rounds: number
  readonly seconds: number
  /** How many addresses have paid in the database, where a measurement does not say so itself. */
  readonly addresses: number
  /** An executable in place of the one of these sources. */
  readonly binary: string | null
  /** Where databases are kept from run to run. */
  readonly folder: string
  readonly isShort: boolean
  /** Whether docs/performance.md is written anew. */
  readonly isWritten: boolean
  /** Where the raw figures go, if anywhere. */
  readonly json: string | null
}

export function readOptions(words: string[]): Options {
  const { values, positionals } = parseArgs({
    args: words,
    options: {
      // The short form of continuous integration: a few seconds for all.
      short: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      addresses: { type: 'string' },
      binary: { type: 'string' },
      folder: { type: 'string', default: join(tmpdir(), `alibi-bench-${userInfo().uid}`) },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const { short } = values
  return {
    names: positionals,
    rounds: positive(values.rounds ?? (short ? '1' : '5'), '--rounds'),
    seconds: positive(values.seconds ?? (short ? '1' : '3'), '--seconds'),
    addresses: positive(values.addresses ?? (short ? '1000' : '1000000'), '--addresses'),
    binary: values.binary ?? null,
    folder: values.folder,
    isShort: short,
    isWritten: values.write,
    json: values.json ?? null,
  }
}

function positive(text: string, option: string): number {
  if (!/^[1-9][0-9]{0,7}$/.test(text)) throw new Error(`${option} takes a whole number from 1 on`)
  return Number(text)
}
