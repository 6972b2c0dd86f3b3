import { ask, Problem } from './alibi.ts'
import { codeChallengeOf, newCodeVerifier } from './proof-key.ts'
import { forgetEverything, keep, type Proof, readState, remember } from './storage.ts'

/** Doubled by each ask: all `/auth/` paths share five requests in 15 minutes, and the code has taken two. */
const TOKEN_PAUSE_MS = 30_000

/** Sends a code to the address. The proof that it begins replaces another one. */
export async function sendCode(email: string): Promise<void> {
  const { language, expired } = await readState()
  const { devCode } = await ask<{ devCode?: string }>('POST', '/auth/verify-email', {
    body: { email, lang: language },
    token: expired?.email === email ? expired.token : undefined,
  })
  const proof = { email, codeVerifier: newCodeVerifier(), step: 'code' } as const
  await remember({ proof: devCode ? { ...proof, devCode } : proof })
}

/** With premium it brings the token, else the address may buy for half an hour. */
export async function confirmCode(code: string): Promise<void> {
  const { proof, expired } = await readState()
  if (!proof) return
  const { email, codeVerifier } = proof
  const { token } = await ask<{ token?: string }>('POST', '/auth/confirm-email', {
    body: { email, code, codeChallenge: await codeChallengeOf(codeVerifier) },
    token: expired?.email === email ? expired.token : undefined,
  })
  if (token) await signIn(email, token)
  else await remember({ proof: { email, codeVerifier, step: 'buy' } })
}

async function signIn(email: string, token: string): Promise<void> {
  await keep({ ticket: { email, token }, expired: null })
  await remember({ proof: null, notice: null })
}

/** Opens the payment page in a tab. An address that has paid already gets its token instead. */
export async function pay(): Promise<void> {
  const { proof, language } = await readState()
  if (!proof) return
  const { email, codeVerifier } = proof
  try {
    const { checkoutUrl } = await ask<{ checkoutUrl: string }>('POST', '/checkout', {
      body: { email, codeVerifier, lang: language },
    })
    await remember({ proof: { email, codeVerifier, step: 'buy', payingSince: Date.now() } })
    await chrome.tabs.create({ url: checkoutUrl })
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return askForToken()
    if (error instanceof Problem && error.status === 403) await remember({ proof: null })
    throw error
  }
}

/** Trades the proof for a token, if the money is there. Throws a `Problem` when it is not. */
export async function askForToken(): Promise<void> {
  const { proof } = await readState()
  if (!proof) return
  const { email, codeVerifier } = proof
  await remember({ proof: { ...proof, asks: (proof.asks ?? 0) + 1, askedAt: Date.now() } })
  try {
    const body = { email, codeVerifier }
    const { token } = await ask<{ token: string }>('POST', '/auth/token', { body })
    await signIn(email, token)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 403) throw error
    if (error.notice.word !== 'error_premium_required') {
      await endProof(proof)
      throw error
    }
    throw new Problem({ word: 'not_paid_yet' }, error.status)
  }
}

async function endProof({ email, codeVerifier }: Proof): Promise<void> {
  const { proof } = await readState()
  if (proof?.email === email && proof.codeVerifier === codeVerifier) await remember({ proof: null })
}

/**
 * As `askForToken`, for whoever only looks: less and less often, and no problem is worth a word. The first thanks of
 * the payment page are worth an ask at once. Whether the token has come.
 */
export async function lookForPayment({ isThanked = false } = {}): Promise<boolean> {
  const { proof } = await readState()
  if (!proof?.payingSince) return false
  const { asks = 0, askedAt = 0 } = proof
  const isNews = isThanked && !proof.isThanked
  if (isNews) await remember({ proof: { ...proof, isThanked } })
  if (isNews || Date.now() - askedAt >= TOKEN_PAUSE_MS * 2 ** asks) {
    await askForToken().catch(() => {})
  }
  return (await readState()).ticket !== null
}

/** The next excuse that fits the choice. A token that opens nothing any more is put aside. */
export async function nextExcuse(): Promise<string> {
  const { ticket, language, choice } = await readState()
  if (!ticket) throw new Problem({ word: 'error_session_expired' }, 401)
  const query = new URLSearchParams({ lang: language })
  if (choice.occasion) query.set('occasion', choice.occasion)
  if (choice.to) query.set('to', choice.to)
  if (choice.tone) query.set('tone', choice.tone)
  if (choice.isShort) query.set('length', 'short')
  try {
    const answer = await ask<{ reason: string; language: string; widened?: string[] }>(
      'GET',
      `/premium-reasons?${query}`,
      { token: ticket.token },
    )
    const { reason: text, widened = [] } = answer
    await keep({ excuse: { text, language: answer.language, isWidened: widened.length > 0 } })
    return text
  } catch (error) {
    if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
      await keep({ ticket: null, expired: ticket })
    }
    throw error
  }
}

/** Forgets the person in this browser; `everywhere` ends all their tokens first. */
export async function signOut({ everywhere }: { everywhere: boolean }): Promise<void> {
  const { ticket } = await readState()
  if (everywhere && ticket) {
    await ask('POST', '/auth/logout', { token: ticket.token }).catch((error) => {
      if (!(error instanceof Problem) || error.status !== 401) throw error
    })
  }
  await forgetEverything()
}
