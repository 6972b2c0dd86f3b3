import { describe, expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH, nextEpoch } from '../../domain/log-out.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email

const epochAt = (afterMs: number) => (NOON.getTime() + afterMs) as Epoch

describe.each(STORES)('LogOutRepository on %s', (_, open) => {
  test('begins with the first epoch, and knows none of an address that never logged out', async () => {
    const { logOuts } = await open()
    expect(await logOuts.findEpoch()).toBe(FIRST_EPOCH)
    await logOuts.update(BERT, () => epochAt(0))

    expect(await logOuts.findByEmail(ANNA)).toBeNull()
  })

  test('keeps the epoch exactly, for the address and for the database, and hands it to the next change', async () => {
    const { logOuts } = await open()
    await logOuts.update(ANNA, () => epochAt(1))
    expect(await logOuts.findByEmail(ANNA)).toBe(epochAt(1))
    expect(await logOuts.findEpoch()).toBe(epochAt(1))

    const handed: Epoch[] = []
    await logOuts.update(BERT, (known) => {
      handed.push(known)
      return epochAt(2)
    })
    expect(handed).toEqual([epochAt(1)])
    expect(await logOuts.findByEmail(ANNA)).toBe(epochAt(1))
    expect(await logOuts.findByEmail(BERT)).toBe(epochAt(2))
    expect(await logOuts.findEpoch()).toBe(epochAt(2))
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { logOuts } = await open()
    await logOuts.update(ANNA, () => epochAt(0))

    const refusal = new Error('refused')
    const refused = logOuts.update(ANNA, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await logOuts.findByEmail(ANNA)).toBe(epochAt(0))
    expect(await logOuts.findEpoch()).toBe(epochAt(0))
  })

  test('loses none of 200 parallel log-outs, of one address or of several', async () => {
    const { logOuts } = await open()

    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        logOuts.update(index % 2 ? ANNA : BERT, (epoch) => nextEpoch(epoch, NOON)),
      ),
    )
    expect(await logOuts.findEpoch()).toBe(epochAt(200))
    const both = [await logOuts.findByEmail(ANNA), await logOuts.findByEmail(BERT)]
    expect(Math.max(...both.map(Number))).toBe(epochAt(200))
  })

  test('finds the epoch that an erasure left under any of the digests, the latest of all', async () => {
    const { logOuts, personalData } = await open()
    const [today, before, other] = ['today', 'before', 'other'] as [
      ErasedEmailDigest,
      ErasedEmailDigest,
      ErasedEmailDigest,
    ]
    const epochs = [
      [today, epochAt(2)],
      [before, epochAt(3)],
      [other, epochAt(9)],
    ] as const
    for (const [digest, epoch] of epochs) {
      const erasure = { name: BERT, digest, origin: ORIGIN }
      await personalData.erase(ANNA, erasure, () => ({ closed: [], epoch }))
    }
    expect(await logOuts.findByEmail(ANNA)).toBeNull()
    expect(await logOuts.findByEmail(ANNA, [today])).toBe(epochAt(2))
    expect(await logOuts.findByEmail(ANNA, [today, before])).toBe(epochAt(3))

    const handed: Epoch[] = []
    await logOuts.update(ANNA, (known) => {
      handed.push(known)
      return nextEpoch(known, NOON)
    })
    // An erasure is a log-out, too.
    expect(handed).toEqual([epochAt(9)])
    expect(await logOuts.findByEmail(ANNA, [today])).toBe(epochAt(10))
    expect(await logOuts.findByEmail(ANNA)).toBe(epochAt(10))
  })
})
