import { type Figures, figuresOf } from '../report/figures.ts'
import { measureRounds } from '../rounds.ts'
import type { Run } from '../run.ts'
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
      for (const tokens of TOKENS) {
        const rounds = await measureRounds(run, PREMIUM_REASONS, { addresses, tokens })
        const figures = figuresOf(rounds)
        raw.push({ addresses, tokens, figures })
        const { share, microseconds, p99Multiple } = figures
        row.push(share.toFixed(2), microseconds.toFixed(1), p99Multiple.toFixed(1))
      }
      rows.push(row)
    }
    return { table: { name: 'growth', head: ['addresses', ...TOKENS.flatMap(heads)], rows }, raw }
  },
}

function heads(tokens: number): string[] {
  const so = `${tokens.toLocaleString('en')} tokens:`
  return [`${so} share of bare`, 'processor µs', "of bare's p99"]
}
