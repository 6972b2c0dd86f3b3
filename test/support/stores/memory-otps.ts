import type {
  MailCounts,
  OtpChange,
  ServiceMailWindow,
} from '../../../application/otp-repository.ts'
import type { WrongTryRanking } from '../../../application/statistics.ts'
import type { Store } from '../../../application/store.ts'
import type { Counted } from '../../../domain/budget.ts'
import type { Email } from '../../../domain/email.ts'
import type { FullShares, ServiceMail } from '../../../domain/mail-limit.ts'
import { type Mailbox, mailboxOf } from '../../../domain/mailbox.ts'
import { EMPTY_OTP_RECORD, type OtpRecord } from '../../../domain/otp.ts'
import type { OtpOwner } from '../../../domain/sender.ts'
import type { Verification } from '../../../domain/verification.ts'

/** The codes of every owner, and the mails of the whole service. */
export function memoryOtps(verifications: Map<Email, Verification>) {
  const records = new Map<string, { readonly owner: OtpOwner; readonly record: OtpRecord }>()
  const serviceMails: ServiceMail[] = []
  const keyOf = ({ email, sender }: OtpOwner) => `${sender} ${email}`
  const find = (owner: OtpOwner) => records.get(keyOf(owner))?.record ?? EMPTY_OTP_RECORD
  const save = ({ email, sender }: OtpOwner, record: OtpRecord) => {
    const owner = { email, sender }
    records.set(keyOf(owner), { owner, record })
  }

  function store(owner: OtpOwner, change: OtpChange) {
    const { record, verification, serviceMail, releasedServiceMail: released } = change
    save(owner, record)
    if (verification) verifications.set(verification.email, verification)
    if (serviceMail) serviceMails.push(serviceMail)
    if (!released) return
    const index = serviceMails.findIndex(
      ({ at, isCustomer, network }) =>
        at.getTime() === released.at.getTime() &&
        isCustomer === released.isCustomer &&
        network === released.network,
    )
    if (index >= 0) serviceMails.splice(index, 1)
  }

  function ofMailbox(mailbox: Mailbox) {
    return [...records.values()].filter(({ owner }) => mailboxOf(owner.email) === mailbox)
  }
  const counting = ({ record }: { record: OtpRecord }) =>
    record.mails
      .filter((mail) => mail.mailbox !== null)
      .map(({ at, network }): Counted => ({ at, network }))

  const port: Store['otps'] = {
    async update(owner, change) {
      const result = change(find(owner))
      store(owner, result)
      return result
    },
    async updateMails(owner, { mailboxes, service }, change) {
      if (service) {
        serviceMails.splice(0, Infinity, ...serviceMails.filter(({ at }) => at <= service.until))
      }
      const counts: MailCounts = {
        record: find(owner),
        mailboxMails: [...records.values()].flatMap(({ record }) =>
          record.mails
            .filter(({ mailbox }) => mailbox !== null && mailboxes.includes(mailbox))
            .map(({ at, network }) => ({ at, network })),
        ),
        fullShares: service
          ? fullShares(serviceMails, service)
          : { all: null, strangers: null, network: null },
      }
      const result = change(counts)
      store(owner, result)
      return result
    },
    findMailboxMails: async (mailbox) => ofMailbox(mailbox).flatMap(counting),
    async forgetMailbox(mailbox) {
      const those = ofMailbox(mailbox)
      for (const { owner, record } of those) {
        save(owner, { ...record, mails: record.mails.map((mail) => ({ ...mail, mailbox: null })) })
      }
      return those.flatMap(counting)
    },
  }
  return { port, find, save, records, serviceMails, rankWrongTries: rank(records) }
}

function fullShares(
  mails: readonly ServiceMail[],
  { since, until, network, shares }: ServiceMailWindow,
): FullShares {
  const inWindow = mails
    .filter(({ at }) => since < at && at <= until)
    .toSorted((left, right) => right.at.getTime() - left.at.getTime())
  const toStrangers = inWindow.filter(({ isCustomer }) => !isCustomer)
  const ofNetwork = inWindow.filter((mail) => network !== null && mail.network === network)
  return {
    all: inWindow[shares.all - 1]?.at ?? null,
    strangers: toStrangers[shares.strangers - 1]?.at ?? null,
    network: ofNetwork[shares.network - 1]?.at ?? null,
  }
}

function rank(
  records: ReadonlyMap<string, { readonly owner: OtpOwner; readonly record: OtpRecord }>,
) {
  return ({ from, until, top }: { from: Date; until: Date; top: number }): WrongTryRanking => {
    const tries = [...records.values()].flatMap(({ owner, record }) =>
      record.wrongTries
        .filter(({ at }) => from <= at && at <= until)
        .map(({ network }) => ({ email: owner.email, network })),
    )
    const addresses = worstFirst(tries.map(({ email }) => email))
    const networks = worstFirst(tries.flatMap(({ network }) => network ?? []))
    return {
      tries: tries.length,
      addresses: addresses.length,
      networks: networks.length,
      topAddresses: addresses.slice(0, top).map(([email, count]) => ({ email, tries: count })),
      topNetworks: networks.slice(0, top).map(([network, count]) => ({ network, tries: count })),
    }
  }
}

export function worstFirst<Name extends string>(names: readonly Name[]): [Name, number][] {
  const counts = Map.groupBy(names, (name) => name)
  return [...counts]
    .map(([name, same]): [Name, number] => [name, same.length])
    .sort(([left, most], [right, least]) => least - most || (left < right ? -1 : 1))
}
