import { expect, test } from 'bun:test'
import { sessionQuestionGate } from '../../../infrastructure/rate-limit/session-question-gate.ts'

function openGate() {
  let now = 0
  const gate = sessionQuestionGate({ monotonicMs: () => now })
  return {
    take: (sessionId: string) => gate.take(sessionId),
    advance(milliseconds: number) {
      now += milliseconds
    },
  }
}

test('lets five questions through in a second, and the next once the first of them is a second old', () => {
  const { take, advance } = openGate()
  for (let number = 0; number < 5; number++) {
    expect(take(`cs_${number}`)).toBe(true)
    advance(100)
  }
  expect(take('cs_5')).toBe(false)
  advance(499)
  expect(take('cs_5')).toBe(false)
  advance(1)
  expect(take('cs_5')).toBe(true)
  expect(take('cs_6')).toBe(false)
})

test('lets a session through once in a minute, and one that it refused does not count', () => {
  const { take, advance } = openGate()
  expect(take('cs_one')).toBe(true)
  advance(30_000)
  for (let number = 0; number < 5; number++) take(`cs_${number}`)
  expect(take('cs_two')).toBe(false)
  advance(1000)
  expect(take('cs_two')).toBe(true)
  advance(28_999)
  expect(take('cs_one')).toBe(false)
  advance(1)
  expect(take('cs_one')).toBe(true)
  expect(take('cs_two')).toBe(false)
})
