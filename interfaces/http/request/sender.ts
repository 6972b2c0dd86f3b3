import { networkOf, ONE_NETWORK } from '../../../domain/client-network.ts'
import type { Email } from '../../../domain/email.ts'
import type { Sender } from '../../../domain/sender.ts'
import { findHolder } from './bearer.ts'
import type { Exchange } from './exchange.ts'

/** Who asks for a code of the address, or brings one: a holder of a token of that very address, or a stranger. */
export async function senderOf(
  ports: Parameters<typeof findHolder>[0],
  { exchange, email }: { exchange: Exchange; email: Email },
): Promise<Sender> {
  if ((await findHolder(ports, exchange)) === email) return { kind: 'holder' }
  return { kind: 'stranger', network: networkOf(exchange.clientAddress(), ONE_NETWORK) }
}
