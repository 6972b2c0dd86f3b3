/** What a translator and a designer have to know about a string. */
export type StringEntry = {
  /** Where it stands and what it does there. */
  readonly meaning: string
  /** In Unicode code points, placeholders as they are written. */
  readonly lengthMax: number
  /** Every translation has to contain each of these, such as `{email}`. Any may contain `{title}`, and none has to. */
  readonly placeholders?: readonly string[]
  /** The placeholder that opens every translation. */
  readonly opening?: string
  /**
   * A string with a number in it has one form for each plural category of its language (CLDR), under the key with the
   * category behind it: `tries_left_one`, `tries_left_other`. A form may say the number in words instead of `{count}`.
   */
  readonly plural?: true
  /** The text is the same in all languages of one script: a name, an example. */
  readonly sameEverywhere?: true
  /** A word that other languages have, too: to be equal to the English one is no sign that it was left. */
  readonly isShared?: true
}

type Rules = Omit<StringEntry, 'meaning' | 'lengthMax'>

export function entry<const Own extends Rules = Rules>(
  lengthMax: number,
  meaning: string,
  own?: Own,
): StringEntry & Own {
  return { meaning, lengthMax, ...(own as Own) }
}
