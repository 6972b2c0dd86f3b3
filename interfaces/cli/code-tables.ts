import type { CodeCounts } from '../../application/customers/describe-codes.ts'
import type { WrongTryRanking } from '../../application/statistics.ts'
import { halfOf } from '../../domain/budget.ts'
import { MAILS_A_DAY, WRONG_TRIES_A_DAY } from '../../domain/otp.ts'
import { tableSection } from './text-layout.ts'

/** What counts against an address, and from which networks it came. */
export function codeTable(codes: CodeCounts): string {
  const { strangers, holders, mailboxMails, networks, topNetworks } = codes
  const ofAll = (mails: number, wrongTries: number | null) => [
    `${mails} of ${MAILS_A_DAY.max}`,
    wrongTries === null ? '-' : `${wrongTries} of ${WRONG_TRIES_A_DAY.max}`,
  ]
  const rows = [
    [`strangers, networks: ${networks}`, ...ofAll(strangers.mails, strangers.wrongTries)],
    ['holders of a token', ...ofAll(holders.mails, holders.wrongTries)],
    ['the whole mailbox', ...ofAll(mailboxMails, null)],
    ...topNetworks.map(({ network, mails, wrongTries }) => [
      `network ${network}`,
      `${mails} of ${halfOf(MAILS_A_DAY).max}`,
      `${wrongTries} of ${halfOf(WRONG_TRIES_A_DAY).max}`,
    ]),
  ]
  const isNothing = [strangers, holders, { mails: mailboxMails, wrongTries: 0 }].every(
    ({ mails, wrongTries }) => mails + wrongTries === 0,
  )
  return tableSection(
    'Mails and wrong codes of the last 24 hours',
    ['BY', 'MAILS', 'WRONG CODES'],
    isNothing ? [] : rows,
  )
}

/** The addresses and the networks with the most wrong codes. */
export function wrongCodeTables({ topAddresses, topNetworks }: WrongTryRanking): readonly string[] {
  return [
    tableSection(
      'Addresses',
      ['ADDRESS', 'WRONG CODES'],
      topAddresses.map(({ email, tries }) => [email, String(tries)]),
    ),
    tableSection(
      'Networks',
      ['NETWORK', 'WRONG CODES'],
      topNetworks.map(({ network, tries }) => [network, String(tries)]),
    ),
  ]
}
