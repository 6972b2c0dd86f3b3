import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { emailCommand } from '../email-command.ts'

export const grantCommand = emailCommand({
  name: 'grant',
  summary: 'give an address premium by your word',
  details: `Gives EMAIL premium without a payment, until it is revoked. An address that has such a grant already
gets no second one; the line that is printed says so, and the exit code is 0 all the same.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  async answer(ports, email) {
    const added = await grantPremium(ports, email)
    const text = added
      ? `${email} has premium by your word until it is revoked.`
      : `${email} has premium by an operator's word already; nothing was added.`
    return { text, report: { added } }
  },
})
