import { dropAllProofs, dropProof, latestProof } from './pkce-store.ts'
import { hasFields, localStore, readJson, sessionStore } from './storage.ts'

/** The characters that a header may carry. Alibi stores no other token. */
const TOKEN = /^[\x21-\x7e]+$/

/**
 * A token that the service takes no more. Sent along with what asks for a code or brings one, it shows that its owner
 * has been in on this device, and gives them a budget that no stranger can use up.
 */
type ExpiredToken = { readonly email: string; readonly token: string }

/** The token of this browser, and its address. */
export function openSession() {
  let token = readToken()
  let email = localStore.read('email') ?? sessionStore.read('email') ?? latestProof()?.email ?? ''

  function forgetToken(): void {
    token = null
    localStore.write('token', null)
    localStore.write('email', null)
    localStore.write('expired-token', null)
  }

  return {
    token: () => token,
    email: () => email,
    setEmail(next: string) {
      email = next
      sessionStore.write('email', email)
    },
    signIn(newToken: string, newEmail: string) {
      token = newToken
      email = newEmail
      localStore.write('token', token)
      localStore.write('email', email)
      if (readExpiredToken()?.email === email) localStore.write('expired-token', null)
      dropProof(email)
    },
    /** The address stays, to be proved again, and the token is kept for that, unless another tab has signed out. */
    expireToken() {
      const expired = token
      token = null
      if (expired === null || readToken() !== expired) return
      forgetToken()
      localStore.write('expired-token', JSON.stringify({ email, token: expired }))
    },
    /** Null for every address but the one of the expired token. */
    expiredTokenOf(address: string): string | null {
      const expired = readExpiredToken()
      return expired?.email === address ? expired.token : null
    },
    /** The address stays, to be proved again; no token does. */
    forgetToken,
    forgetAll() {
      forgetToken()
      dropAllProofs()
      email = ''
      sessionStore.write('email', null)
    },
    /** Reloads the page after a sign-in or sign-out in another tab. */
    followOtherTabs() {
      if (readToken() === token) return
      sessionStore.write('email', null)
      location.reload()
    },
  }
}

function readToken(): string | null {
  const kept = localStore.read('token')
  return kept !== null && TOKEN.test(kept) ? kept : null
}

function readExpiredToken(): ExpiredToken | null {
  return readJson(localStore, 'expired-token', isExpiredToken)
}

function isExpiredToken(value: unknown): value is ExpiredToken {
  return hasFields(value, { email: 'string', token: 'string' }) && TOKEN.test(String(value.token))
}
