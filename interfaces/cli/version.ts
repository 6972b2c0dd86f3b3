import { EXIT } from './exit-codes.ts'

/** Says which version of Alibi this is, and on which runtime it stands. */
export function version({
  number,
  json,
  print,
}: {
  number: string
  json: boolean
  print: (text: string) => void
}): number {
  print(
    json ? JSON.stringify({ name: 'alibi', version: number, bun: Bun.version }) : `alibi ${number}`,
  )
  return EXIT.done
}
