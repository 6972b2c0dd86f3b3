import { expect, test } from 'bun:test'
import { findAccess } from '../../../application/access/check-premium.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { issueToken, readTokenAccess } from '../../../application/access/tokens.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import type { ErasedEmailDigest } from '../../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH, isLoggedOut } from '../../../domain/log-out.ts'
import { fakePorts, NOON_EPOCH, ORIGIN } from '../../support/fakes.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'
import { findLogOut } from '../../support/stores/log-outs.ts'
import { authenticate } from '../../support/token-readings.ts'

const email = parseEmail('ada@example.com')

async function withPremium() {
  const ports = fakePorts()
  await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
  return ports
}

test('a token names its address and the moment at which it was issued', async () => {
  const ports = await withPremium()
  const access = await readTokenAccess(ports, email)
  ports.clock.advance(1000)
  const issuedAt = ports.clock.now()
  expect(await ports.tokens.verify(await issueToken(ports, email, access))).toMatchObject({
    email,
    issuedAt,
  })
})

test('a token counts as issued after every earlier log-out, even in the same instant', async () => {
  const ports = await withPremium()
  await logOut(ports, email)
  const access = await readTokenAccess(ports, email)
  const claims = await ports.tokens.verify(await issueToken(ports, email, access))
  expect(isLoggedOut(claims!.epoch, await findLogOut(ports.access, email))).toBe(false)
})

test('a token counts as issued after the address was erased, also where the clock was set back since', async () => {
  const ports = await withPremium()
  await eraseEmail(ports, email)
  ports.clock.advance(-MINUTE_MS)
  await ports.premiumGrants.add({ id: 'grant_2', email }, ORIGIN)
  const access = await readTokenAccess(ports, email)
  expect(await authenticate(ports, await issueToken(ports, email, access))).toBe(email)
})

test('an address that has no premium now has no access', async () => {
  const ports = await withPremium()
  const bob = parseEmail('bob@example.com')
  expect(await readTokenAccess(ports, bob)).toEqual({
    hasPremium: false,
    epoch: FIRST_EPOCH,
  })
  await ports.premiumGrants.revokeAll(email, ORIGIN)
  expect(await readTokenAccess(ports, email)).toMatchObject({ hasPremium: false })
})

test('an address that neither logged out nor was erased has no void tokens', async () => {
  const ports = fakePorts()
  await logOut(ports, BERT)
  expect((await findAccess(ports, ANNA)).loggedOutIn).toBeNull()
})

test('the epoch of an erasure is found under each of the keys that still count', async () => {
  const ports = fakePorts()
  const [today, before, forgotten] = ['today', 'before', 'forgotten'] as ErasedEmailDigest[]
  const lines = { [before!]: 2000, [forgotten!]: 3000 }
  for (const [digest, afterMs] of Object.entries(lines)) {
    const erasure = { name: ANNA, digests: [digest as ErasedEmailDigest], origin: ORIGIN }
    const epoch = (NOON_EPOCH + afterMs) as Epoch
    await ports.personalData.erase(BERT, erasure, () => ({ closed: [], epoch }))
  }
  ports.secrets.erasureDigests = () => [today!, before!]
  expect((await findAccess(ports, ANNA)).loggedOutIn).toBe((NOON_EPOCH + 2000) as Epoch)

  ports.clock.advance(5000)
  await logOut(ports, ANNA)
  expect((await findAccess(ports, ANNA)).loggedOutIn).toBe((NOON_EPOCH + 5001) as Epoch)
})
