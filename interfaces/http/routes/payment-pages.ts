import type { Elysia } from 'elysia'
import { logOutage } from '../../../application/error-report.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import type { Ports } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { SESSION_ID } from '../../../domain/order.ts'
import { lastingPage, type PageAnswer } from '../pages/page.ts'
import { type PaymentPageState, paymentPage } from '../pages/payment-page.ts'
import { translator } from '../pages/translator.ts'
import { ROUTES } from '../paths.ts'
import { requestIdOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { pageContent, queryOf } from './page-language.ts'

const RETRY_AFTER = { 'retry-after': '60' }

/**
 * Adds the pages to which the provider sends the buyer back. They name nobody, so each is made once for each language.
 */
export function addPaymentPages(routes: Elysia, { ports }: HttpOptions): void {
  const pages = new Map<string, PageAnswer>()
  function answer({ headers }: Request, query: URLSearchParams, state: PaymentPageState): Response {
    const { language, strings } = pageContent(ports.content, { headers, query })
    const key = `${state} ${language}`
    const make = () =>
      lastingPage(
        paymentPage(state, language, translator(strings)),
        state === 'unavailable' ? RETRY_AFTER : {},
      )
    return pages.getOrInsertComputed(key, make)({ headers })
  }

  routes.get(ROUTES.showPayment.path, async ({ request }) => {
    const query = queryOf(request)
    return answer(request, query, await paymentState(ports, request, query))
  })
  routes.get(ROUTES.showCancellation.path, ({ request }) =>
    answer(request, queryOf(request), 'cancel'),
  )
}

async function paymentState(
  ports: Ports,
  request: Request,
  query: URLSearchParams,
): Promise<PaymentPageState> {
  const [sessionId, ...others] = query.getAll('session_id')
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
