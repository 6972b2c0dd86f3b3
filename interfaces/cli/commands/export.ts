import { exportEmail } from '../../../application/customers/export-email.ts'
import type { Email } from '../../../domain/email.ts'
import { EXIT } from '../exit-codes.ts'

/** Prints everything that is stored about an address, as JSON that people can read. */
export async function exportAll({
  ports,
  email,
  print,
}: {
  ports: Parameters<typeof exportEmail>[0]
  email: Email
  print: (text: string) => void
}): Promise<number> {
  print(JSON.stringify(await exportEmail(ports, email), null, 2))
  return EXIT.done
}
