import type { Counted } from '../../domain/budget.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { Email } from '../../domain/email.ts'
import { mailboxOf } from '../../domain/mailbox.ts'
import { ofTheLastDay } from '../../domain/otp.ts'
import type { SenderKind } from '../../domain/sender.ts'
import type { Ports } from '../ports.ts'

type Counts = { readonly mails: number; readonly wrongTries: number }

/** What counts against an address for a day. */
export type CodeCounts = {
  readonly strangers: Counts
  readonly holders: Counts
  /** To every address of its mailbox. */
  readonly mailboxMails: number
  /** From how many networks strangers came. */
  readonly networks: number
  /** Those that did most of it, the worst first. */
  readonly topNetworks: readonly (Counts & { readonly network: ClientNetwork })[]
}

const NETWORKS_NAMED = 10

/** The mails and the wrong codes of an address in the last 24 hours, and the networks that they came from. */
export async function describeCodes(
  { otps, personalData, clock }: Pick<Ports, 'otps' | 'personalData' | 'clock'>,
  email: Email,
): Promise<CodeCounts> {
  const { codeMails, wrongTries } = await personalData.find(email)
  const mailboxMails = await otps.findMailboxMails(mailboxOf(email))
  const now = clock.now()
  const counted = {
    mails: ofTheLastDay(codeMails, now),
    wrongTries: ofTheLastDay(wrongTries, now),
  }
  const ofSender = (kind: SenderKind): Counts => count(counted, ({ sender }) => sender === kind)
  const networks = networksOf([...counted.mails, ...counted.wrongTries]).map((network) => ({
    network,
    ...count(counted, (one) => one.network === network),
  }))
  return {
    strangers: ofSender('stranger'),
    holders: ofSender('holder'),
    mailboxMails: ofTheLastDay(mailboxMails, now).length,
    networks: networks.length,
    topNetworks: networks
      .toSorted((left, right) => sum(right) - sum(left))
      .slice(0, NETWORKS_NAMED),
  }
}

function networksOf(counted: readonly Counted[]): readonly ClientNetwork[] {
  return [...new Set(counted.flatMap(({ network }) => network ?? []))].sort()
}

function count<One extends Counted>(
  { mails, wrongTries }: { mails: readonly One[]; wrongTries: readonly One[] },
  isMeant: (one: One) => boolean,
): Counts {
  return { mails: mails.filter(isMeant).length, wrongTries: wrongTries.filter(isMeant).length }
}

function sum({ mails, wrongTries }: Counts): number {
  return mails + wrongTries
}
