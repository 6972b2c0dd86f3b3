import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../domain/duration.ts'
import { DomainError } from '../../domain/errors.ts'
import {
  assertMailFits,
  isMailLimitNear,
  mailLimitUse,
  mailShares,
} from '../../domain/mail-limit.ts'
import { NOON } from '../support/fakes.ts'
import { at, refusal } from '../support/otp-moves.ts'

const NOTHING_FULL = { all: null, strangers: null, network: null }

describe('the code mails of the whole service', () => {
  test.each([
    [300, 150, 15],
    [90, 45, 5],
    [121, 61, 6],
    [99, 50, 5],
    [1, 1, 5],
  ])('of which %d may go: %d to strangers, %d for one network', (limit, strangers, network) => {
    expect(mailShares({ limit, windowMs: HOUR_MS })).toEqual({ all: limit, strangers, network })
  })

  test('go as long as no share is full', () => {
    for (const isCustomer of [true, false]) {
      const terms = { windowMs: HOUR_MS, isCustomer }
      expect(refusal(() => assertMailFits(NOTHING_FULL, terms))).toBeUndefined()
    }
  })

  test.each([
    [20, 2, 4],
    [90, 9, 18],
    [500, 10, 20],
    [300, 10, 20],
  ])(
    'of which %d may go are used up for strangers by %d networks, and for all by %d',
    (limit, forStrangers, forAll) => {
      const { all, strangers, network } = mailShares({ limit, windowMs: HOUR_MS })
      expect([strangers, all].map((share) => Math.ceil(share / network))).toEqual([
        forStrangers,
        forAll,
      ])
    },
  )

  test.each([
    ['strangers', 'a customer', true],
    ['strangers', 'a stranger', false],
    ['network', 'a customer', false],
    ['network', 'a stranger', false],
  ] as const)('while %s have none left, go to %s: %p', (share, recipient, goes) => {
    const full = { ...NOTHING_FULL, [share]: NOON }
    const isCustomer = recipient === 'a customer'
    expect(refusal(() => assertMailFits(full, { windowMs: HOUR_MS, isCustomer }))).toEqual(
      goes ? undefined : new DomainError('mail_limit_reached', at(HOUR_MS)),
    )
  })

  test('go to nobody once all are used up, until the share that is full for the longest has room', () => {
    const full = { all: at(5), strangers: at(9), network: at(7) }
    const retryAt = (isCustomer: boolean) =>
      (refusal(() => assertMailFits(full, { windowMs: HOUR_MS, isCustomer })) as DomainError)
        .retryAt
    expect(retryAt(true)).toEqual(at(HOUR_MS + 7))
    expect(retryAt(false)).toEqual(at(HOUR_MS + 9))
  })

  test.each([
    [79, 39, false],
    [80, 0, true],
    [40, 40, true],
  ])('are nearly used up by %d, of which %d to strangers: %p', (all, strangers, expected) => {
    const use = mailLimitUse({ all, strangers }, { limit: 100, windowMs: HOUR_MS })
    expect(isMailLimitNear(use)).toBe(expected)
  })
})
