/** Judges each message of a server up to the end of the log-in: false once the server has to be given up. */
export type LoginCheck = (name: string, message: unknown) => boolean

const PASSWORD_QUESTIONS = ['authenticationCleartextPassword', 'authenticationMD5Password']

/**
 * For `channel_binding=require`: a log-in counts only by SCRAM that is bound to the server's certificate (RFC 5929,
 * `tls-server-end-point`), and nothing that could be used elsewhere is sent otherwise.
 */
export function channelBindingCheck(): LoginCheck {
  let isBound = false
  return (name, message) => {
    if (PASSWORD_QUESTIONS.includes(name)) return false
    if (name === 'authenticationSASL') return offersBinding(message)
    if (name === 'authenticationSASLFinal') isBound = true
    return name !== 'authenticationOk' || isBound
  }
}

function offersBinding(message: unknown): boolean {
  const { mechanisms } = message as { mechanisms: readonly string[] }
  return mechanisms.includes('SCRAM-SHA-256-PLUS')
}
