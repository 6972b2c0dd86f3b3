import type {
  Clock,
  Content,
  Mailer,
  PaymentGateway,
  SandboxDesk,
} from '../../application/ports.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import type { SqliteStore } from '../../infrastructure/sqlite/store.ts'
import type { ReturnUrls } from '../../infrastructure/stripe/session-reports.ts'
import { FOLDERS, ROUTES } from '../http/paths.ts'
import { wait } from './wait.ts'

export async function composePayment({
  config: { payment, allowPromotionCodes },
  store,
  clock,
  publicUrl,
  url,
}: {
  config: Config
  store: SqliteStore
  clock: Clock
  publicUrl: string
  url: string
}): Promise<{ gateway: PaymentGateway; desk: SandboxDesk | null; stop: () => void }> {
  if (payment.provider === 'stripe') {
    const { stripePaymentGateway } = await import('../../infrastructure/stripe/payment-gateway.ts')
    const gateway = stripePaymentGateway({
      ...payment,
      returnUrls: returnUrls(publicUrl),
      allowPromotionCodes,
      clock,
    })
    return { gateway, desk: null, stop() {} }
  }
  const { postNotification } = await import('../../infrastructure/sandbox/delivery.ts')
  const { sandboxPaymentGateway } = await import('../../infrastructure/sandbox/payment-gateway.ts')
  const webhookUrl = url + ROUTES.receivePaymentNotification.path
  return sandboxPaymentGateway({
    ...payment,
    sessions: store.sandboxSessions,
    payUrl: publicUrl + FOLDERS.sandboxPay.path,
    returnUrls: returnUrls(publicUrl),
    webhookSecret: crypto.randomUUID(),
    deliver: (delivery) => postNotification(webhookUrl, delivery),
    wait,
    clock,
    newId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  })
}

/** Where the payment provider sends buyers back to. */
export function returnUrls(publicUrl: string): ReturnUrls {
  return {
    success: publicUrl + ROUTES.showPayment.path,
    cancel: publicUrl + ROUTES.showCancellation.path,
  }
}

/** Where the payment provider may send its notifications. */
export function webhookUrls(publicUrl: string): readonly string[] {
  const { receiveStripeNotification, receivePaymentNotification } = ROUTES
  return [receiveStripeNotification, receivePaymentNotification].map(({ path }) => publicUrl + path)
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
