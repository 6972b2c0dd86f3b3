import type { Table } from '../report/table.ts'
import type { Run } from '../run/run.ts'

/** A table for people, and the figures that it was made of. */
export type Outcome = { readonly table: Table; readonly raw: unknown }

export type Measurement = {
  readonly name: string
  /** When it is measured without being named. */
  readonly runs: 'always' | 'unless short' | 'when named or written'
  readonly measure: (run: Run) => Promise<Outcome>
}
