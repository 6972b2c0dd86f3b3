/** So many wrong codes in the window, over all addresses, are more than people mistype. */
const WRONG_TRIES_ALARMING = 200
/** Only well below is it over, so that the alarm does not go on and off around one number. */
const WRONG_TRIES_CALM = 100

export const GUESSING_WINDOW_MS = 60 * 60_000

/**
 * Whether somebody seems to try codes on many addresses, a few on each, which the limits of no single address notice.
 */
export function isGuessing(wasGuessing: boolean, wrongTries: number): boolean {
  return wrongTries >= (wasGuessing ? WRONG_TRIES_CALM : WRONG_TRIES_ALARMING)
}
