import type { Clock, Content, Log, Mailer, Ports } from '../../application/ports.ts'
import type { SandboxCheckout } from '../../application/sandbox-checkout.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import type { EmailConfig } from '../../infrastructure/config/email-settings.ts'
import type { DatabaseStore } from '../../infrastructure/database/database-store.ts'
import type { OrderSeals } from '../../infrastructure/secrets/order-seals.ts'
import type { ReturnUrls } from '../../infrastructure/stripe/session-reports.ts'
import { wait } from '../../infrastructure/system-clock.ts'
import { FOLDERS, ROUTES } from '../http/paths.ts'

export async function composePayment({
  config: { payment },
  store,
  seals,
  clock,
  log,
  publicUrl,
  url,
}: {
  config: Config
  store: DatabaseStore
  seals: OrderSeals
  clock: Clock
  log: Log
  publicUrl: string
  url: string
}): Promise<
  Pick<Ports, 'payments' | 'notifications'> & {
    sandboxCheckout: SandboxCheckout | null
    stop: () => void
  }
> {
  if (payment.provider === 'stripe') {
    const { stripePaymentGateway } = await import('../../infrastructure/stripe/payment-gateway.ts')
    const gateway = stripePaymentGateway({
      ...payment,
      returnUrls: returnUrls(publicUrl),
      seals,
      clock,
      log,
    })
    return { ...gateway, sandboxCheckout: null, stop() {} }
  }
  const { postNotification } = await import('../../infrastructure/sandbox/webhook-sender.ts')
  const { sandboxPaymentGateway } = await import('../../infrastructure/sandbox/payment-gateway.ts')
  const webhookUrl = url + ROUTES.receivePaymentNotification.path
  return sandboxPaymentGateway({
    ...payment,
    sessions: store.sandboxSessions,
    payUrl: publicUrl + FOLDERS.sandboxPay.path,
    returnUrls: returnUrls(publicUrl),
    seals,
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

type MailParts = {
  readonly from: string
  readonly content: Content
  readonly publicUrl: string
  /** Prints a mail in development. */
  readonly write: (text: string) => void
}

/** `stop` ends the connections that it keeps. */
type ComposedMailer = { readonly mailer: Mailer; readonly stop: () => void }

/** The mailer of EMAIL_PROVIDER. Each is loaded only where it is used. */
export async function composeMailer(email: EmailConfig, parts: MailParts): Promise<ComposedMailer> {
  switch (email.provider) {
    case 'console': {
      const { consoleMailer } = await import('../../infrastructure/mail/console-mailer.ts')
      return { mailer: consoleMailer(parts), stop() {} }
    }
    case 'resend': {
      const { resendMailer } = await import('../../infrastructure/mail/resend-mailer.ts')
      return { mailer: resendMailer({ ...email, ...parts }), stop() {} }
    }
    case 'smtp': {
      const { smtpMailer } = await import('../../infrastructure/mail/smtp-mailer.ts')
      const mailer = smtpMailer({ server: email.server, ...parts })
      return { mailer, stop: mailer.stop }
    }
  }
}
