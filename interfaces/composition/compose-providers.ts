import type {
  Clock,
  Content,
  Mailer,
  PaymentGateway,
  SandboxDesk,
} from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'
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

export async function composeMailer({
  config: { email, emailFrom: from },
  content,
  publicUrl,
  write,
}: {
  config: Config
  content: Content
  publicUrl: string
  write: (text: string) => void
}): Promise<Mailer> {
  if (email.provider === 'resend') {
    const { resendMailer } = await import('../../infrastructure/mail/resend-mailer.ts')
    return resendMailer({ ...email, from, content, publicUrl })
  }
  const { consoleMailer } = await import('../../infrastructure/mail/console-mailer.ts')
  return consoleMailer({ write, content, publicUrl })
}
