/** The text on one line, without characters that a terminal acts on. */
export function quoteForTerminal(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

/** As one word of a script for a shell. Only for text without quotes, such as the name of a command. */
export function quoteForScript(text: string): string {
  return `'${text}'`
}
