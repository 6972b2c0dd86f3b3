/** A number of bytes as people read it, in powers of 1000: `812 kB`, `1.2 MB`, `31.4 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** Text that a shell takes literally (POSIX 2.2), anywhere but at the start of a command. */
const PLAIN = /^[\w@%+:,./-]+$/

/** The text as one word of a POSIX shell, quoted where it has to be: for a printed command that people copy. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
