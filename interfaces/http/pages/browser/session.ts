import { lasting, visit } from './memory.ts'
import { findProof, keepProof } from './proof.ts'

/** Who is here: the token of this browser, and the address that it is about. */
export function openSession() {
  let token = lasting.read('token')
  let email = lasting.read('email') ?? visit.read('email') ?? findProof()?.email ?? ''

  function forgetToken(): void {
    token = null
    lasting.write('token', null)
    lasting.write('email', null)
  }

  return {
    token: () => token,
    email: () => email,
    /** The buyer has left for the payment page, and may come back with access. */
    isPaying: () => visit.read('paying') !== null,
    setPaying(isPaying: boolean) {
      visit.write('paying', isPaying ? 'yes' : null)
    },
    /** Another address has to be proved anew. */
    setEmail(next: string) {
      if (next !== email) keepProof(null)
      email = next
      visit.write('email', email)
    },
    signIn(newToken: string, newEmail: string) {
      token = newToken
      email = newEmail
      lasting.write('token', token)
      lasting.write('email', email)
      visit.write('paying', null)
      keepProof(null)
    },
    /** The address stays, to be proved again. */
    forgetToken,
    forgetAll() {
      forgetToken()
      keepProof(null)
      email = ''
      visit.write('email', null)
    },
  }
}
