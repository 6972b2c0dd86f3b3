import type { Excuse } from '../../domain/excuse.ts'

/** An excuse as a file has it, but for a text alone. One word may stand for a list of one. */
export type RawExcuse = {
  readonly text: string
  readonly occasion?: OneOrMore
  readonly to?: OneOrMore
  readonly tone?: OneOrMore
  readonly needs?: OneOrMore
  readonly sample?: boolean
}

type OneOrMore = string | readonly string[]

/** What a file says of an excuse: a text alone is for nothing in particular, and supposes nothing. */
export function excuseOf(raw: string | RawExcuse): Excuse {
  const entry: RawExcuse = typeof raw === 'string' ? { text: raw } : raw
  const { text, occasion, to, tone, needs, sample } = entry
  return {
    text,
    tags: { occasion: listOf(occasion), to: listOf(to), tone: listOf(tone) },
    needs: listOf(needs),
    isSample: sample ?? false,
  }
}

function listOf(value: OneOrMore = []): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
