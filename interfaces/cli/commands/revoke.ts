import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import { emailCommand } from '../email-command.ts'

export const revokeCommand = emailCommand({
  name: 'revoke',
  summary: 'take premium away from an address',
  details: `Revokes every grant that EMAIL has now, bought or given, and prints how many; 0 is no failure. It
works from the next request on. No money moves: refund at the payment provider. A purchase that is
paid later gives premium again.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  async answer(ports, email) {
    const revoked = await revokePremium(ports, email)
    const text =
      revoked === 0
        ? `${email} has no grant that could be revoked.`
        : `Revoked ${revoked} ${revoked === 1 ? 'grant' : 'grants'} of ${email}.`
    return { text, report: { revoked } }
  },
})
