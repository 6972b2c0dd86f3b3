import { expect, test } from 'bun:test'
import { authenticate } from '../../../application/access/authenticate.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { prepareToken } from '../../../application/access/prepare-token.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { parseEmail } from '../../../domain/email.ts'
import { isLoggedOut } from '../../../domain/log-out.ts'
import { CAUSE, fakePorts, NOON } from '../../support/fakes.ts'

const email = parseEmail('ada@example.com')

async function withPremium() {
  const ports = fakePorts()
  await ports.premiumGrants.add({ id: 'grant_1', email }, CAUSE)
  return ports
}

test('a token names its address and the moment at which it was issued', async () => {
  const ports = await withPremium()
  const issueToken = await prepareToken(ports, email)
  ports.clock.advance(1000)
  const issuedAt = ports.clock.now()
  expect(await ports.tokens.verify(await issueToken!(), issuedAt)).toEqual({ email, issuedAt })
})

test('a token counts as issued after every earlier log-out, even in the same instant', async () => {
  const ports = await withPremium()
  await logOut(ports, email)
  const issueToken = await prepareToken(ports, email)
  const claims = await ports.tokens.verify(await issueToken!(), NOON)
  expect(isLoggedOut(claims!.issuedAt, await ports.logOuts.findByEmail(email))).toBe(false)
})

test('a token counts as issued after the address was erased, also where the clock was set back since', async () => {
  const ports = await withPremium()
  await eraseEmail(ports, email)
  ports.clock.advance(-60_000)
  await ports.premiumGrants.add({ id: 'grant_2', email }, CAUSE)
  const issueToken = await prepareToken(ports, email)
  expect(await authenticate(ports, await issueToken!())).toBe(email)
})

test('an address without premium gets none', async () => {
  const ports = await withPremium()
  expect(await prepareToken(ports, parseEmail('bob@example.com'))).toBeNull()
  await ports.premiumGrants.revokeAll(email, CAUSE)
  expect(await prepareToken(ports, email)).toBeNull()
})
