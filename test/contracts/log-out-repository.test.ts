import { describe, expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { nextTokensValidAfter } from '../../domain/log-out.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email

describe.each(STORES)('LogOutRepository on %s', (_, open) => {
  test('knows no moment of an address that never logged out', async () => {
    const { logOuts } = await open()
    await logOuts.update(BERT, () => NOON)

    expect(await logOuts.findByEmail(ANNA)).toBeNull()
  })

  test('keeps the moment to the millisecond, and hands it to the next change', async () => {
    const { logOuts } = await open()
    const line = new Date(NOON.getTime() + 1)
    await logOuts.update(ANNA, () => line)
    expect(await logOuts.findByEmail(ANNA)).toEqual(line)

    let handed: Date | null = null
    await logOuts.update(ANNA, (known) => {
      handed = known
      return new Date(NOON.getTime() + 2)
    })
    expect(handed as Date | null).toEqual(line)
    expect(await logOuts.findByEmail(ANNA)).toEqual(new Date(NOON.getTime() + 2))
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { logOuts } = await open()
    await logOuts.update(ANNA, () => NOON)

    const refusal = new Error('refused')
    const refused = logOuts.update(ANNA, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await logOuts.findByEmail(ANNA)).toEqual(NOON)
  })

  test('loses none of 200 parallel log-outs', async () => {
    const { logOuts } = await open()

    await Promise.all(
      Array.from({ length: 200 }, () =>
        logOuts.update(ANNA, (line) => nextTokensValidAfter(line, NOON)),
      ),
    )
    expect(await logOuts.findByEmail(ANNA)).toEqual(new Date(NOON.getTime() + 200))
  })

  test('finds the moment that an erasure left under any of the digests, the latest of all', async () => {
    const { logOuts, personalData } = await open()
    const [today, before, other] = ['today', 'before', 'other'] as [
      ErasedEmailDigest,
      ErasedEmailDigest,
      ErasedEmailDigest,
    ]
    const line = (afterMs: number) => new Date(NOON.getTime() + afterMs)
    const lines = [
      [today, line(2)],
      [before, line(3)],
      [other, line(9)],
    ] as const
    for (const [digest, tokensValidAfter] of lines) {
      const erasure = { name: BERT, digest, origin: ORIGIN }
      await personalData.erase(ANNA, erasure, () => ({ closed: [], tokensValidAfter }))
    }
    expect(await logOuts.findByEmail(ANNA)).toBeNull()
    expect(await logOuts.findByEmail(ANNA, [today])).toEqual(line(2))
    expect(await logOuts.findByEmail(ANNA, [today, before])).toEqual(line(3))

    const handed: (Date | null)[] = []
    await logOuts.update(ANNA, (known) => {
      handed.push(known)
      return line(1)
    })
    // It cannot know which of them is the address's own.
    expect(handed).toEqual([line(9)])
    expect(await logOuts.findByEmail(ANNA, [today])).toEqual(line(2))
    expect(await logOuts.findByEmail(ANNA)).toEqual(line(1))
  })
})
