import { createHash } from 'node:crypto'
import { type Email, parseEmail } from '../../domain/email.ts'
import { readPurchaseId } from '../../domain/order.ts'

/** What belongs to the reader of a number, the same in every run. */
export const emailOf = (number: number): Email => parseEmail(`reader-${padded(number)}@example.com`)

export const sessionIdOf = (name: string | number) => `cs_test_a1${scattered(name, 56)}`
export const paymentIntentIdOf = (number: number) =>
  `pi_3SWq${padded(number)}Lk${scattered(number, 8)}`
export const eventIdOf = (number: number) => `evt_1SWq${padded(number)}Lk${scattered(number, 8)}`

/** Later numbers sort after earlier ones, as later moments do in the service's own ids. */
export function purchaseIdOf(number: number) {
  const id = readPurchaseId(`pur_01kaj2q8w5t7n3m9x4${padded(number)}`)
  if (id === null) throw new Error(`no id of a purchase: ${number}`)
  return id
}

/** So many numbers below `count`, evenly spread. */
export function spread(amount: number, count: number): number[] {
  return Array.from({ length: amount }, (_, index) => Math.floor((index * count) / amount) % count)
}

const padded = (number: number) => String(number).padStart(8, '0')

/** Letters and digits that have no order, as providers put them into their ids. */
function scattered(name: string | number, length: number): string {
  const digest = createHash('sha512').update(String(name)).digest('base64url')
  return digest.replaceAll(/[-_]/g, 'x').slice(0, length)
}
