import { HOUR_MS } from './duration.ts'

/** People do not mistype so many codes in the window, even over all addresses. */
const WRONG_TRIES_ALARMING = 200
/** The alarm ends only well below, so that it does not go on and off around one number. */
const WRONG_TRIES_CALM = 100

export const GUESSING_WINDOW_MS = HOUR_MS

/** Whether codes seem to be guessed over many addresses, too few on each for the limits of a single address. */
export function isGuessing(wasGuessing: boolean, wrongTries: number): boolean {
  return wrongTries >= (wasGuessing ? WRONG_TRIES_CALM : WRONG_TRIES_ALARMING)
}
