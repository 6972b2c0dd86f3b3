import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../domain/duration.ts'
import type { Email } from '../../../../domain/email.ts'
import { authenticateRequest, findHolder } from '../../../../interfaces/http/request/bearer.ts'
import { exchangeOf, rememberExchange } from '../../../../interfaces/http/request/exchange.ts'
import { fakePorts, issueToken } from '../../../support/fakes.ts'

const ANNA = 'anna@example.com' as Email

function requestWith(authorization?: string): Request {
  return new Request('http://localhost/', { headers: authorization ? { authorization } : {} })
}

describe('the holder of a token', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('is found by the scheme %s', async (scheme) => {
    const ports = fakePorts()
    const token = await issueToken(ports, ANNA)
    expect(await findHolder(ports, requestWith(`${scheme} ${token}`))).toBe(ANNA)
  })

  test('is found by a token that has expired, which lets nobody in', async () => {
    const ports = fakePorts()
    const request = requestWith(`Bearer ${await issueToken(ports, ANNA)}`)
    ports.clock.advance(2 * DAY_MS)
    expect(await findHolder(ports, request)).toBe(ANNA)
    await expect(authenticateRequest(ports, request)).rejects.toThrow('invalid_token')
  })

  test.each([undefined, 'Bearer', 'Bearer forged', 'Basic YTpi', 'a|b|c'])(
    'is nobody where the header is %p, and no error',
    async (authorization) => {
      expect(await findHolder(fakePorts(), requestWith(authorization))).toBeNull()
    },
  )

  test('and the authentication are of one reading of the token, on the routed request too', async () => {
    const ports = fakePorts()
    const request = requestWith(`Bearer ${await issueToken(ports, ANNA)}`)
    const { findByEmail } = ports.access
    let reads = 0
    ports.access.findByEmail = (...parameters) => {
      reads++
      return findByEmail(...parameters)
    }
    expect(await findHolder(ports, request)).toBe(ANNA)
    const routed = requestWith(request.headers.get('authorization') ?? undefined)
    rememberExchange(routed, exchangeOf(request))
    expect(await authenticateRequest(ports, routed)).toBe(ANNA)
    expect(await findHolder(ports, routed)).toBe(ANNA)
    expect(reads).toBe(1)
  })
})
