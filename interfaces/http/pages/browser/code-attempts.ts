import { ATTEMPTS_MAX, isMailedAgain } from '../../../../domain/otp.ts'
import { Problem } from './api.ts'
import { hasFields, readJson, sessionStore } from './storage.ts'

type Tries = {
  /** When the code was sent for the first time, in milliseconds since 1970. */
  readonly sentAt: number
  readonly wrong: number
}

const NONE: Tries = { sentAt: 0, wrong: 0 }

/**
 * How many tries a code has left, as far as this tab knows. The service does not reveal its own count: `left` is the
 * most that it will take.
 */
export function codeAttempts({ otpLifetimeMs }: { otpLifetimeMs: number }) {
  const read = () => readJson(sessionStore, 'tries', areTries) ?? NONE
  const write = (tries: Tries) => sessionStore.write('tries', JSON.stringify(tries))
  return {
    /** A mail went out, with the same code as before or another one. */
    codeSent() {
      const { sentAt, wrong } = read()
      const ageMs = Date.now() - sentAt
      const isSame = wrong < ATTEMPTS_MAX && isMailedAgain({ ageMs, lifetimeMs: otpLifetimeMs })
      if (!isSame) write({ sentAt: Date.now(), wrong: 0 })
    },
    /** Another address, another code. */
    reset: () => write(NONE),
    /**
     * Counts the try where the code was wrong, and throws the error again. By then it says how many tries are left: by
     * the page's own count, and by the limit of the service for this client.
     */
    countWrong(error: unknown): never {
      if (!(error instanceof Problem) || error.word !== 'error_invalid_code') throw error
      const { sentAt, wrong } = read()
      write({ sentAt, wrong: wrong + 1 })
      const left = Math.max(0, ATTEMPTS_MAX - read().wrong)
      const { remaining = left } = error.details
      throw new Problem(error.word, { ...error.details, triesLeft: Math.min(left, remaining) })
    },
  }
}

function areTries(value: unknown): value is Tries {
  return hasFields(value, { sentAt: 'number', wrong: 'number' })
}
