import { ATTEMPTS_MAX } from '../../../../domain/otp.ts'

/**
 * How many tries a code has left, as far as this page knows. The service counts for itself and never tells: `left` is
 * what it will take at most.
 */
export function triesOfCode({ otpLifetimeMs }: { otpLifetimeMs: number }) {
  let sentAt = 0
  let wrong = 0
  return {
    /** A mail went out. In the first half of a living code's life it carries the same code as before. */
    codeSent() {
      const isSame = wrong < ATTEMPTS_MAX && Date.now() - sentAt < otpLifetimeMs / 2
      if (isSame) return
      sentAt = Date.now()
      wrong = 0
    },
    /** Another address, another code. */
    startAnew() {
      sentAt = 0
      wrong = 0
    },
    countWrong() {
      wrong++
    },
    left: () => Math.max(0, ATTEMPTS_MAX - wrong),
  }
}
