import { EXIT } from '../exit-codes.ts'

/** Says which version of Alibi this is, from which commit it was made, and on which runtime it stands. */
export function version({
  number,
  commit,
  json,
  print,
}: {
  number: string
  /** `unknown` where it was not made from a repository. */
  commit: string
  json: boolean
  print: (text: string) => void
}): number {
  print(
    json
      ? JSON.stringify({ name: 'alibi', version: number, commit, bun: Bun.version })
      : `alibi ${number}`,
  )
  return EXIT.done
}
