import { EXIT } from '../exit-codes.ts'

/** Prints the OpenAPI document, made without a server. */
export async function openapi({
  readDocument,
  print,
}: {
  readDocument: () => Promise<object>
  print: (text: string) => void
}): Promise<number> {
  print(JSON.stringify(await readDocument(), null, 2))
  return EXIT.done
}
