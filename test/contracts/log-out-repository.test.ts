import { describe, expect, test } from 'bun:test'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH, nextEpoch } from '../../domain/log-out.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { findEpoch, findLogOut } from '../support/stores/log-outs.ts'
import { STORES } from '../support/stores/stores.ts'

const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email

const epochAt = (afterMs: number) => (NOON.getTime() + afterMs) as Epoch

describe.each(STORES)('LogOutRepository on %s', (_, open) => {
  test('begins with the first epoch, and knows none of an address that never logged out', async () => {
    const { logOuts, access } = await open()
    expect(await findEpoch(access)).toBe(FIRST_EPOCH)
    await logOuts.update(BERT, () => epochAt(0))

    expect(await findLogOut(access, ANNA)).toBeNull()
  })

  test('keeps the epoch exactly, for the address and for the database, and hands it to the next change', async () => {
    const { logOuts, access } = await open()
    await logOuts.update(ANNA, () => epochAt(1))
    expect(await findLogOut(access, ANNA)).toBe(epochAt(1))
    expect(await findEpoch(access)).toBe(epochAt(1))

    const handed: Epoch[] = []
    await logOuts.update(BERT, (known) => {
      handed.push(known)
      return epochAt(2)
    })
    expect(handed).toEqual([epochAt(1)])
    expect(await findLogOut(access, ANNA)).toBe(epochAt(1))
    expect(await findLogOut(access, BERT)).toBe(epochAt(2))
    expect(await findEpoch(access)).toBe(epochAt(2))
  })

  test('stores nothing when the change throws, and passes its error through', async () => {
    const { logOuts, access } = await open()
    await logOuts.update(ANNA, () => epochAt(0))

    const refusal = new Error('refused')
    const refused = logOuts.update(ANNA, () => {
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await findLogOut(access, ANNA)).toBe(epochAt(0))
    expect(await findEpoch(access)).toBe(epochAt(0))
  })

  test('loses none of 200 parallel log-outs, of one address or of several', async () => {
    const { logOuts, access } = await open()

    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        logOuts.update(index % 2 ? ANNA : BERT, (epoch) => nextEpoch(epoch, NOON)),
      ),
    )
    expect(await findEpoch(access)).toBe(epochAt(200))
    const both = [await findLogOut(access, ANNA), await findLogOut(access, BERT)]
    expect(Math.max(...both.map(Number))).toBe(epochAt(200))
  })

  test('hands the epoch of the latest erasure to the next change, as an erasure is a log-out, too', async () => {
    const { logOuts, access, personalData } = await open()
    for (const afterMs of [2, 9, 3]) {
      const erasure = {
        name: BERT,
        digests: [`digest ${afterMs}` as ErasedEmailDigest],
        origin: ORIGIN,
      }
      const decide = (_: unknown, epoch: Epoch) => ({
        closed: [],
        epoch: Math.max(epoch, epochAt(afterMs)) as Epoch,
      })
      await personalData.erase(ANNA, erasure, decide)
    }
    const handed: Epoch[] = []
    await logOuts.update(ANNA, (known) => {
      handed.push(known)
      return nextEpoch(known, NOON)
    })
    expect(handed).toEqual([epochAt(9)])
    expect(await findLogOut(access, ANNA)).toBe(epochAt(10))
  })
})
