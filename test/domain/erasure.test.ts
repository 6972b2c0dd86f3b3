import { describe, expect, test } from 'bun:test'
import { findEmail, parseEmail } from '../../domain/email.ts'
import { erasedEmail, isErased, mayStillBePaid } from '../../domain/erasure.ts'
import { PURCHASE_STATES } from '../../domain/purchase.ts'
import { inState } from '../support/fakes.ts'
import { ANNA, openPurchase } from '../support/stores/contract-purchases.ts'

describe('the name of an erased address', () => {
  test('differs from every address that a person can have', () => {
    expect(isErased(erasedEmail('0a1b'))).toBe(true)
    expect(isErased(ANNA)).toBe(false)
    for (const address of ['erased-0a1b@example.com', 'erased-0a1b@alibi.invalid.example.com']) {
      expect(isErased(parseEmail(address))).toBe(false)
    }
  })

  test.each(['erased-0a1b@alibi.invalid', 'Erased-0A1B@ALIBI.INVALID', 'anna@alibi.invalid'])(
    'is refused as an address that a person types: %s',
    (address) => {
      expect(findEmail(address)).toBeNull()
    },
  )
})

test('money may still come for a payment under way, and on a page that the provider has confirmed', () => {
  const paying = PURCHASE_STATES.filter((state) =>
    mayStillBePaid(inState(openPurchase('one', { sessionId: 'cs_one' }), state)),
  )
  expect(paying).toEqual(['open', 'processing'])
  const unconfirmed = PURCHASE_STATES.filter((state) =>
    mayStillBePaid(inState(openPurchase('one'), state)),
  )
  expect(unconfirmed).toEqual(['processing'])
})
