import { describe, expect, test } from 'bun:test'
import { sendCode } from '../../../application/access/send-code.ts'
import { readMailLimitUse, watchMailLimit } from '../../../application/access/watch-mail-limit.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { HOLDER, stranger } from '../../support/senders.ts'

function open() {
  const { rules } = fakePorts()
  const ports = fakePorts({ rules: { ...rules, mailLimit: { limit: 20, windowMs: HOUR_MS } } })
  let mailed = 0
  async function mail(count: number, { toCustomers = false, sender = HOLDER } = {}) {
    for (let left = count; left > 0; left--) {
      const email = parseEmail(`person${++mailed}@example.com`)
      if (toCustomers) await ports.premiumGrants.add({ id: email, email }, ORIGIN)
      await sendCode(ports, { email, language: 'en', sender })
    }
  }
  const told = () => ports.log.lines.map(({ level, event, fields }) => [level, event, fields])
  return { ports, mail, told, look: watchMailLimit(ports) }
}

describe('watching MAIL_LIMIT', () => {
  test('warns once when four fifths of the strangers’ half are used, and says once that it is over', async () => {
    const { ports, mail, told, look } = open()
    await mail(1, { sender: stranger(1) })
    await mail(5, { sender: stranger(2) })
    await mail(1)
    await look()
    expect(told()).toEqual([])
    await mail(1, { sender: stranger(1) })
    await look()
    await look()
    const worstNetworks = '10.0.2.0/24 (5), 10.0.1.0/24 (2)'
    const use = { ofAll: 40, ofStrangers: 80, worstNetworks }
    expect(told()).toEqual([['warn', 'codes.limit_near', use]])
    expect(JSON.stringify(told())).not.toContain('@')

    ports.clock.advance(HOUR_MS)
    await look()
    await look()
    expect(told().slice(1)).toEqual([['info', 'codes.limit_far', { ofAll: 0, ofStrangers: 0 }]])
  })

  test('warns when four fifths of the whole are used', async () => {
    const { mail, told, look } = open()
    await mail(15, { toCustomers: true })
    await look()
    expect(told()).toEqual([])
    await mail(1, { toCustomers: true })
    await look()
    const use = { ofAll: 80, ofStrangers: 0, worstNetworks: '' }
    expect(told()).toEqual([['warn', 'codes.limit_near', use]])
  })

  test('says nothing where nothing bounds the mails', async () => {
    const ports = fakePorts()
    await watchMailLimit(ports)()
    expect(await readMailLimitUse(ports)).toBeNull()
    expect(ports.log.lines).toEqual([])
  })
})
