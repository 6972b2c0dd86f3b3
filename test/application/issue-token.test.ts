import { expect, test } from 'bun:test'
import { issueToken } from '../../application/issue-token.ts'
import { logOut } from '../../application/log-out.ts'
import { parseEmail } from '../../domain/email.ts'
import { isLoggedOut } from '../../domain/log-out.ts'
import { fakePorts, NOON } from '../fakes.ts'

const email = parseEmail('ada@example.com')

test('a token names its address and the moment at which it was issued', async () => {
  const ports = fakePorts()
  const token = await issueToken(ports, email)
  expect(await ports.tokens.verify(token, NOON)).toEqual({ email, issuedAt: NOON })
})

test('a token counts as issued after every earlier log-out, even in the same instant', async () => {
  const ports = fakePorts()
  await logOut(ports, email)
  const claims = await ports.tokens.verify(await issueToken(ports, email), NOON)
  expect(isLoggedOut(claims!.issuedAt, await ports.logOuts.findByEmail(email))).toBe(false)
})
