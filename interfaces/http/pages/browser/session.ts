import { dropAllProofs, dropProof, latestProof } from './pkce-store.ts'
import { localStore, sessionStore } from './storage.ts'

/** The characters that a header may carry. Alibi stores no other token. */
const TOKEN = /^[\x21-\x7e]+$/

/** The token of this browser, and its address. */
export function openSession() {
  let token = readToken()
  let email = localStore.read('email') ?? sessionStore.read('email') ?? latestProof()?.email ?? ''

  function forgetToken(): void {
    token = null
    localStore.write('token', null)
    localStore.write('email', null)
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
      dropProof(email)
    },
    /** The address stays, to be proved again. */
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
