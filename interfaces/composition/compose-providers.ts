import type {
  Clock,
  Content,
  Mailer,
  PaymentGateway,
  SandboxDesk,
} from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import type { EmailConfig, EmailProvider } from '../../infrastructure/config/email-settings.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import { wait } from './wait.ts'

export async function composePayment({
  config: { payment, allowPromotionCodes },
  store,
  clock,
  publicUrl,
  url,
}: {
  config: Config
  store: DatabaseStore
  clock: Clock
  publicUrl: string
  url: string
}): Promise<{ gateway: PaymentGateway; desk: SandboxDesk | null; stop: () => void }> {
  if (payment.provider === 'stripe') {
    const { stripePaymentGateway } = await import('../../infrastructure/stripe/payment-gateway.ts')
    const gateway = stripePaymentGateway({ ...payment, publicUrl, allowPromotionCodes, clock })
    return { gateway, desk: null, stop() {} }
  }
  const { postNotification } = await import('../../infrastructure/sandbox/webhook-sender.ts')
  const { sandboxPaymentGateway } = await import('../../infrastructure/sandbox/payment-gateway.ts')
  return sandboxPaymentGateway({
    ...payment,
    sessions: store.sandboxSessions,
    publicUrl,
    webhookSecret: crypto.randomUUID(),
    deliver: (delivery) => postNotification(`${url}/webhook/payment`, delivery),
    wait,
    clock,
    newId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  })
}

type MailParts = {
  readonly from: string
  readonly content: Content
  readonly publicUrl: string
  /** Prints a mail in development. */
  readonly write: (text: string) => void
}

/** The mailer of each EMAIL_PROVIDER, loaded only where it is used. */
const MAILERS: {
  readonly [Provider in EmailProvider]: (
    email: EmailConfig<Provider>,
    parts: MailParts,
  ) => Promise<Mailer>
} = {
  async console(_, parts) {
    const { consoleMailer } = await import('../../infrastructure/mail/console-mailer.ts')
    return consoleMailer(parts)
  },
  async resend(email, parts) {
    const { resendMailer } = await import('../../infrastructure/mail/resend-mailer.ts')
    return resendMailer({ ...email, ...parts })
  },
}

export function composeMailer<Provider extends EmailProvider>(
  email: EmailConfig<Provider>,
  parts: MailParts,
): Promise<Mailer> {
  return MAILERS[email.provider](email, parts)
}
