import { logOut } from '../../../application/access/log-out.ts'
import { emailCommand } from '../email-command.ts'

export const logoutCommand = emailCommand({
  name: 'logout',
  summary: 'end every token of an address',
  details: `Ends every token that EMAIL has, on every device, from the next request on. Premium stays: whoever
can read the mails of EMAIL logs in again with a new code.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  async answer(ports, email) {
    await logOut(ports, email)
    return { text: `Whoever was logged in as ${email} no longer is.`, report: { loggedOut: true } }
  },
})
