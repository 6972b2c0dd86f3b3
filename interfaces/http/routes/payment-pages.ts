import type { Elysia } from 'elysia'
import { logOutage } from '../../../application/error-report.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import type { Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { SESSION_ID } from '../../../domain/purchase.ts'
import { lastingPage, type PageAnswer } from '../pages/page.ts'
import { type PaymentPageState, paymentPage } from '../pages/payment-page.ts'
import { translator } from '../pages/translator.ts'
import { ROUTES } from '../paths.ts'
import { requestIdOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { pageContent } from './page-language.ts'

const RETRY_AFTER = { 'retry-after': '60' }

/**
 * Adds the pages to which the provider sends the buyer back. They name nobody, so each is made once for each language.
 */
export function addPaymentPages(routes: Elysia, { ports }: HttpOptions): void {
  const pages = new Map<string, PageAnswer>()
  function answer(request: Request, state: PaymentPageState): Response {
    const { language, strings } = pageContent(ports.content, request)
    const key = `${state} ${language}`
    const page =
      pages.get(key) ??
      lastingPage(
        paymentPage(state, language, translator(strings)),
        state === 'unavailable' ? RETRY_AFTER : {},
      )
    pages.set(key, page)
    return page(request)
  }

  routes.get(ROUTES.showPayment.path, async ({ request }) =>
    answer(request, await paymentState(ports, request)),
  )
  routes.get(ROUTES.showCancellation.path, ({ request }) => answer(request, 'cancel'))
}

async function paymentState(ports: Ports, request: Request): Promise<PaymentPageState> {
  const [sessionId, ...others] = new URL(request.url).searchParams.getAll('session_id')
  if (sessionId === undefined || others.length > 0 || !SESSION_ID.test(sessionId)) return 'invalid'

  try {
    return await checkPayment(ports, sessionId)
  } catch (error) {
    // People read this answer, so it is a page like the others.
    if (!(error instanceof Unavailable)) throw error
    logOutage(ports, error, { request: requestIdOf(request) })
    return 'unavailable'
  }
}
