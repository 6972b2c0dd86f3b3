import { equalInConstantTime } from '../../domain/constant-time.ts'
import type { Order } from '../../domain/order.ts'
import { deriveKeys, lengthPrefixed } from './hmac-secrets.ts'

const SEAL_KEY_PURPOSE = 'alibi/order-seal/v1'

/** What the seal of an order covers: who ordered, under which name, at which price, and what the page allowed. */
type SealedOrder = Pick<Order, 'id' | 'email' | 'price'> & Partial<Pick<Order, 'leastAmount'>>

/** Only this service can make the seal of an order, so that an order that comes back with its seal is its own. */
export type OrderSeals = {
  sealOf(order: SealedOrder): string
  fits(order: SealedOrder, seal: string): boolean
}

/** HMAC-SHA-256 in base64url. Seals under `previousSecret` still fit, and none is made. */
export function orderSeals({
  secret,
  previousSecret = null,
}: {
  secret: string
  previousSecret?: string | null
}): OrderSeals {
  const keys = deriveKeys({ secret, previousSecret }, SEAL_KEY_PURPOSE)
  const [key] = keys
  return {
    sealOf: (order) => sealUnder(key, order),
    fits: (order, seal) => keys.some((one) => equalInConstantTime(sealUnder(one, order), seal)),
  }
}

function sealUnder(key: Buffer, { id, email, price, leastAmount = null }: SealedOrder): string {
  const seal = new Bun.CryptoHasher('sha256', key)
  // Pages of releases that did not keep it have a seal without it.
  const least = leastAmount === null ? [] : [String(leastAmount)]
  for (const part of [id, email, String(price.amount), price.currency, ...least]) {
    seal.update(lengthPrefixed(part))
  }
  return seal.digest('base64url')
}
