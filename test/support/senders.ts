import type { ClientNetwork } from '../../domain/client-network.ts'
import type { Sender } from '../../domain/sender.ts'

/** The network of that number: strangers of one number are of one network. */
export const networkNumber = (number: number) =>
  `10.${Math.floor(number / 256)}.${number % 256}.0/24` as ClientNetwork

export const stranger = (number: number): Sender => ({
  kind: 'stranger',
  network: networkNumber(number),
})

/** For tests that do not care who it is. */
export const STRANGER = stranger(1)
export const HOLDER: Sender = { kind: 'holder' }
