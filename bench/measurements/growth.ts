import { type Figures, figuresOf, median } from '../report/figures.ts'
import { measureRounds } from '../run/rounds.ts'
import type { Run } from '../run/run.ts'
import { PREMIUM_REASONS } from '../scenarios/reading.ts'
import type { Measurement, Outcome } from './measurement.ts'

const ADDRESSES = [1000, 1_000_000, 10_000_000]
const TOKENS = [500, 20_000]

/** What an excuse costs while addresses and tokens become more. */
export const GROWTH: Measurement = {
  name: 'growth',
  runs: 'when named or written',
  async measure(run: Run): Promise<Outcome> {
    const rows: string[][] = []
    const raw: { addresses: number; tokens: number; figures: Figures }[] = []
    for (const addresses of ADDRESSES) {
      const row = [addresses.toLocaleString('en')]
      const starts: number[] = []
      for (const tokens of TOKENS) {
        const rounds = await measureRounds(run, PREMIUM_REASONS, { addresses, tokens })
        const figures = figuresOf(rounds)
        raw.push({ addresses, tokens, figures })
        starts.push(rounds.startMs)
        const { share, microseconds, p99Multiple } = figures
        row.push(share.toFixed(2), microseconds.toFixed(1), p99Multiple.toFixed(1))
      }
      rows.push([...row, median(starts).toFixed(0)])
    }
    const head = ['addresses', ...TOKENS.flatMap(heads), 'ready after ms']
    return { table: { name: 'growth', head, rows }, raw }
  },
}

function heads(tokens: number): string[] {
  const so = `${tokens.toLocaleString('en')} tokens:`
  return [`${so} share of bare`, 'processor µs', "of bare's p99"]
}
