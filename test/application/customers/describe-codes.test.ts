import { expect, test } from 'bun:test'
import { sendCode } from '../../../application/access/send-code.ts'
import { describeCodes } from '../../../application/customers/describe-codes.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import type { Sender } from '../../../domain/sender.ts'
import { fakePorts } from '../../support/fakes.ts'
import { HOLDER, networkNumber, stranger } from '../../support/senders.ts'
import { ANNA, BERT } from '../../support/stores/contract-purchases.ts'

const NOTHING = { mails: 0, wrongTries: 0 }

test('tells who asked for mails, and counts those to the whole mailbox, for a day', async () => {
  const ports = fakePorts()
  const mail = (sender: Sender, email = ANNA) => sendCode(ports, { email, language: 'en', sender })
  for (let network = 0; network < 12; network++) {
    await mail(stranger(network))
    ports.clock.advance(15 * MINUTE_MS)
  }
  await mail(stranger(5))
  await mail(HOLDER)
  await mail(stranger(1), parseEmail('anna+shop@example.com'))
  await mail(stranger(1), BERT)

  const codes = await describeCodes(ports, ANNA)
  expect(codes).toMatchObject({
    strangers: { mails: 13, wrongTries: 0 },
    holders: { mails: 1, wrongTries: 0 },
    mailboxMails: 14,
    networks: 12,
  })
  expect(codes.topNetworks).toHaveLength(10)
  expect(codes.topNetworks[0]).toEqual({ network: networkNumber(5), mails: 2, wrongTries: 0 })

  ports.clock.advance(DAY_MS)
  expect(await describeCodes(ports, ANNA)).toEqual({
    strangers: NOTHING,
    holders: NOTHING,
    mailboxMails: 0,
    networks: 0,
    topNetworks: [],
  })
})
