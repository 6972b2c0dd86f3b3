import { describe, expect, test } from 'bun:test'
import { logOut } from '../../../application/access/log-out.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fakePorts, issueToken } from '../../support/fakes.ts'
import { authenticate } from '../../support/token-readings.ts'

const email = parseEmail('ada@example.com')
const refused = new DomainError('invalid_token')

describe('logOut', () => {
  test('ends every token of the address', async () => {
    const ports = fakePorts()
    const phone = await issueToken(ports, email)
    ports.clock.advance(1000)
    const laptop = await issueToken(ports, email)
    await logOut(ports, email)
    await expect(authenticate(ports, phone)).rejects.toEqual(refused)
    await expect(authenticate(ports, laptop)).rejects.toEqual(refused)
  })

  test('ends no token of another address', async () => {
    const ports = fakePorts()
    const bob = parseEmail('bob@example.com')
    const token = await issueToken(ports, bob)
    await logOut(ports, email)
    expect(await authenticate(ports, token)).toBe(bob)
  })

  test('lets the address log in again in the same instant', async () => {
    const ports = fakePorts()
    await logOut(ports, email)
    const token = await issueToken(ports, email)
    expect(await authenticate(ports, token)).toBe(email)

    await logOut(ports, email)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
    expect(await authenticate(ports, await issueToken(ports, email))).toBe(email)
  })

  test('lets the address log in again after the clock was set back', async () => {
    const ports = fakePorts()
    await logOut(ports, email)
    ports.clock.advance(-HOUR_MS)
    const token = await issueToken(ports, email)
    expect(await authenticate(ports, token)).toBe(email)
    await logOut(ports, email)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
  })
})
