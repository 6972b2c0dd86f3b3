import { describe, expect, test } from 'bun:test'
import { EMAIL, WRONG_CODE } from '../support/http/http-client.ts'
import { CHALLENGE, OTHER_CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../support/proof-key.ts'
import { atOnce, countStatuses, openService } from '../support/service/real-service.ts'

// One who does not read the mails of an address tries to bind a proof key of their own to it, or to come in between.

const FIXED = OTHER_CHALLENGE
const FIXED_VERIFIER = OTHER_VERIFIER

async function openTarget() {
  const service = openService()
  await service.givePremium()
  const logIn = (codeVerifier: string) =>
    service.post('/auth/token', { email: EMAIL, codeVerifier })
  const confirm = (code: string, codeChallenge: string) =>
    service.post('/auth/confirm-email', { email: EMAIL, code, codeChallenge })
  return { service, logIn, confirm }
}

describe('a proof key of a stranger', () => {
  test('is not bound by asking for the code, nor by wrong codes', async () => {
    const { service, logIn, confirm } = await openTarget()
    const code = await service.mailCode()
    for (let tries = 0; tries < 4; tries++) await confirm(WRONG_CODE, FIXED)
    expect((await logIn(FIXED_VERIFIER)).status).toBe(403)

    expect((await confirm(code, CHALLENGE)).status).toBe(200)
    expect((await logIn(FIXED_VERIFIER)).status).toBe(403)
    expect((await logIn(VERIFIER)).status).toBe(200)
  })

  test('does not take the place of the right one by a code that was used', async () => {
    const { service, logIn, confirm } = await openTarget()
    const code = await service.mailCode()
    await confirm(code, CHALLENGE)
    expect((await confirm(code, FIXED)).status).toBe(401)
    expect((await logIn(FIXED_VERIFIER)).status).toBe(403)
    expect((await logIn(VERIFIER)).status).toBe(200)
  })

  test('ends with the next proof of the address', async () => {
    const { service, logIn, confirm } = await openTarget()
    await confirm(await service.mailCode(), FIXED)
    await confirm(await service.mailCode(), CHALLENGE)
    expect((await logIn(FIXED_VERIFIER)).status).toBe(403)
    expect((await logIn(VERIFIER)).status).toBe(200)
  })

  test('is not told from a missing verification', async () => {
    const { service, logIn, confirm } = await openTarget()
    const none = await logIn(FIXED_VERIFIER)
    await confirm(await service.mailCode(), CHALLENGE)
    const wrong = await logIn(FIXED_VERIFIER)
    expect([wrong.status, wrong.text]).toEqual([none.status, none.text])
  })
})

test('of parallel proofs by one code one wins, and only its key logs in', async () => {
  for (let round = 0; round < 20; round++) {
    const { service, logIn, confirm } = await openTarget()
    const code = await service.mailCode()
    const answers = await atOnce(10, (index) => confirm(code, index % 2 ? CHALLENGE : FIXED))
    expect(countStatuses(answers)).toEqual({ 200: 1, 401: 9 })
    const winner = answers.findIndex(({ status }) => status === 200) % 2
    expect((await logIn(VERIFIER)).status).toBe(winner === 1 ? 200 : 403)
    expect((await logIn(FIXED_VERIFIER)).status).toBe(winner === 1 ? 403 : 200)
  }
})
