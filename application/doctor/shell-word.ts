/** What a shell reads as itself (POSIX 2.2), in any place but at the start of a command. */
const PLAIN = /^[\w@%+:,./-]+$/

/** The text as one word of a POSIX shell, for a command that is printed and meant to be copied: quoted where it has to be. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
