import { CODE_LENGTH, parseOtpCode } from '../../../../domain/otp.ts'

const DIGITS = /\p{Nd}+/gu

/** The code that a person has typed; null as long as it is none, because there are only a few tries. */
export function readCode(typed: string): string | null {
  try {
    return parseOtpCode(typed)
  } catch {
    return null
  }
}

/** The code in a text that is a code, or that has one run of six digits; null when it could be one or another. */
export function findCode(text: string): string | null {
  const runs = (text.match(DIGITS) ?? []).filter((run) => run.length === CODE_LENGTH)
  const [only, ...others] = new Set(runs)
  return readCode(text) ?? (others.length === 0 && only !== undefined ? readCode(only) : null)
}
