import { join } from 'node:path'
import { quietPort } from '../../test/support/quiet-port.ts'
import { onLoadCore } from '../machine.ts'
import { untilAnswered } from './measured-process.ts'

/** The doubles of Stripe and of Resend, each in a process of its own. */
export type Providers = AsyncDisposable & { readonly stripeUrl: string; readonly mailUrl: string }

export async function startProviders(): Promise<Providers> {
  const stripe = Bun.spawn(programAt('stripe-program.ts'), { stdout: 'pipe' })
  const mailPort = await quietPort()
  const mail = Bun.spawn(programAt('mail-program.ts'), {
    env: { ...process.env, PORT: String(mailPort) },
    stdout: 'ignore',
  })
  const { value } = await stripe.stdout.getReader().read()
  const stripeUrl = new TextDecoder().decode(value).trim()
  const mailUrl = `http://127.0.0.1:${mailPort}`
  await untilAnswered(mailUrl, mail)
  return {
    stripeUrl,
    mailUrl,
    async [Symbol.asyncDispose]() {
      for (const child of [stripe, mail]) child.kill()
      await Promise.all([stripe.exited, mail.exited])
    },
  }
}

function programAt(file: string): string[] {
  return onLoadCore([process.execPath, 'run', join(import.meta.dir, file)])
}
