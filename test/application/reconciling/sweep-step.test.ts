import { describe, expect, test } from 'bun:test'
import { isolatedSteps } from '../../../application/reconciling/sweep-step.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { recordingLog } from '../../support/fakes.ts'

const timeout = () =>
  Promise.reject(new Unavailable('payment', { cause: new Error('no answer after 8000 ms') }))
const refusal = () =>
  Promise.reject(new Unavailable('payment', { cause: new Error('500'), answered: true }))
const fault = () => Promise.reject(new Error('a session of status lost'))
const changes = async () => 2

function openSteps() {
  const log = recordingLog()
  return { log, ...isolatedSteps({ log }, 'refunds', { outagesMax: 20 }) }
}

describe('a step', () => {
  test('counts and logs new facts', async () => {
    const { step, log } = openSteps()
    expect(await step('one', changes)).toEqual({ checked: 1, repaired: 2, failed: 0 })
    expect(await step('two', async () => 0)).toEqual({ checked: 1, repaired: 0, failed: 0 })
    expect(log.lines).toMatchObject([
      { level: 'info', fields: { sweep: 'refunds', object: 'one', repaired: 2 } },
    ])
  })

  test('that fails is counted and logged with its object, and ends nothing', async () => {
    const { step, log } = openSteps()
    for (let index = 0; index < 10; index++) {
      expect(await step(`re_${index}`, index % 2 ? fault : refusal)).toEqual({
        checked: 1,
        repaired: 0,
        failed: 1,
      })
    }
    expect(log.lines).toHaveLength(10)
    expect(log.lines[0]).toMatchObject({ level: 'warn', fields: { object: 're_0' } })
    expect(log.lines[1]).toMatchObject({
      level: 'error',
      fields: { sweep: 'refunds', object: 're_1' },
    })
  })
})

describe('a sweep has missed something', () => {
  test('where an outage hid an object, and not where an object makes no sense', async () => {
    const { step, hasMissed } = openSteps()
    await step('one', changes)
    await step('two', fault)
    expect(hasMissed()).toBe(false)
    await step('three', refusal)
    await step('four', changes)
    expect(hasMissed()).toBe(true)
  })
})

test('what is found out in another way is failed, and not missed', async () => {
  const { step, hasMissed } = openSteps()
  const tally = await step('a list', refusal, { dispensable: true })
  expect(tally).toEqual({ checked: 1, repaired: 0, failed: 1 })
  expect(hasMissed()).toBe(false)
  await step('one', refusal)
  expect(hasMissed()).toBe(true)
})

describe('a sweep ends early', () => {
  test('when the provider fails twenty times in a row, whatever it answers', async () => {
    const { step } = openSteps()
    for (let failures = 0; failures < 19; failures++) await step('one', refusal)
    await step('two', changes)
    for (let failures = 0; failures < 19; failures++) await step('three', refusal)
    await expect(step('four', refusal)).rejects.toThrow('payment unavailable')
  })

  test('when the provider times out three times in a row, and not before', async () => {
    const { step } = openSteps()
    await step('one', timeout)
    await step('two', timeout)
    await step('three', changes)
    await step('four', timeout)
    await step('five', timeout)
    await expect(step('six', timeout)).rejects.toThrow('payment unavailable')
  })

  test.each([
    [
      'the key is refused',
      new Unavailable('payment', { cause: null, answered: true, setting: 'KEY' }),
    ],
    ['the database does not answer', new Unavailable('storage', { cause: null })],
  ])('at once when %s', async (_, error) => {
    const { step } = openSteps()
    await expect(step('one', () => Promise.reject(error))).rejects.toBe(error)
  })
})
