import type { Email } from '../../domain/email.ts'
import { mailCodes } from './codes.ts'
import { countPaid, openPurchases } from './open-purchases.ts'

/** The database of a measured service, and what is done in it beside the service. */
export type BenchDatabase = {
  /** As in DATABASE_URL. */
  readonly url: string
  /** Stores purchases whose payment page was opened just now. Those of an earlier call that nobody has paid go. */
  openPurchases(numbers: { first: number; amount: number }): Promise<void>
  /** Stores for each address the code that was mailed to it just now, and gives the codes. */
  mailCodes(emails: readonly Email[]): Promise<readonly string[]>
  /** How many purchases are paid, as the next process would see it. */
  countPaid(): Promise<number>
}

export function sqliteDatabase(path: string): BenchDatabase {
  return {
    url: `sqlite:${path}`,
    openPurchases: async (numbers) => openPurchases(path, numbers),
    mailCodes: async (emails) => mailCodes(path, emails),
    countPaid: async () => countPaid(path),
  }
}
