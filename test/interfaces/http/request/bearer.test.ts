import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../domain/duration.ts'
import type { Email } from '../../../../domain/email.ts'
import {
  authenticateRequest,
  type Caller,
  findHolder,
} from '../../../../interfaces/http/request/bearer.ts'
import { fakePorts, issueToken } from '../../../support/fakes.ts'

const ANNA = 'anna@example.com' as Email

function callerWith(authorization?: string): Caller {
  const headers = authorization ? { authorization } : {}
  return { request: new Request('http://localhost/', { headers }), tokenReading: undefined }
}

describe('the holder of a token', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('is found by the scheme %s', async (scheme) => {
    const ports = fakePorts()
    const token = await issueToken(ports, ANNA)
    expect(await findHolder(ports, callerWith(`${scheme} ${token}`))).toBe(ANNA)
  })

  test('is found by a token that has expired, which lets nobody in', async () => {
    const ports = fakePorts()
    const caller = callerWith(`Bearer ${await issueToken(ports, ANNA)}`)
    ports.clock.advance(2 * DAY_MS)
    expect(await findHolder(ports, caller)).toBe(ANNA)
    expect(() => authenticateRequest(ports, caller)).toThrow('invalid_token')
  })

  test.each([undefined, 'Bearer', 'Bearer forged', 'Basic YTpi', 'a|b|c'])(
    'is nobody where the header is %p, and no error',
    async (authorization) => {
      expect(await findHolder(fakePorts(), callerWith(authorization))).toBeNull()
    },
  )

  test('and the authentication are of one reading of the token', async () => {
    const ports = fakePorts()
    const caller = callerWith(`Bearer ${await issueToken(ports, ANNA)}`)
    const { findByEmail } = ports.access
    let reads = 0
    ports.access.findByEmail = (...parameters) => {
      reads++
      return findByEmail(...parameters)
    }
    expect(await findHolder(ports, caller)).toBe(ANNA)
    expect(await authenticateRequest(ports, caller)).toBe(ANNA)
    expect(await findHolder(ports, caller)).toBe(ANNA)
    expect(reads).toBe(1)
  })
})
