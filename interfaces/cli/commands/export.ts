import { exportEmail } from '../../../application/customers/export-email.ts'
import { emailCommand } from '../email-command.ts'

export const exportCommand = emailCommand({
  name: 'export',
  summary: 'print all that is known of an address',
  details: `Prints one JSON object with everything that the database holds about EMAIL: codes asked for and
tried, verification, log-outs, purchases, grants, refunds, disputes, messages and audit trail. An
address that nobody knows is no failure. Codes, tokens and keys are not in it.
Needs no setting but DATABASE_URL.`,
  async answer(ports, email) {
    return { text: JSON.stringify(await exportEmail(ports, email), null, 2), report: null }
  },
})
