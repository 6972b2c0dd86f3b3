import type Stripe from 'stripe'
import type { Account } from './account.ts'
import type { stripeActs } from './acts.ts'
import { parseForm, textOf } from './form.ts'
import type { Answer, Incoming } from './wire.ts'

/** The path that the hosted pages lie under. */
export const HOSTED_PAGES = '/c/pay/'

/** The page at a session's `url`, for buyers with a browser: it takes the money, or sends them back without. */
export function answerBuyer(
  account: Account,
  acts: Pick<ReturnType<typeof stripeActs>, 'pay'>,
  { method, path, body }: Incoming,
): Answer {
  account.expireOverdue()
  const session = account.sessions.get(path.slice(HOSTED_PAGES.length))
  if (!session) return page(404, '<h1>Nothing is for sale here</h1>')
  if (method === 'POST' && textOf(parseForm(body), 'act') === 'pay') {
    acts.pay(session.id)
    return seeOther((session.success_url ?? '').replace('{CHECKOUT_SESSION_ID}', session.id))
  }
  return session.status === 'open' ? page(200, forms(session)) : page(200, '<h1>It is over</h1>')
}

function forms({ amount_total, currency, cancel_url }: Stripe.Checkout.Session): string {
  return `<h1>${amount_total} ${currency}</h1>
<form method="post"><button name="act" value="pay">Pay</button></form>
<a href="${Bun.escapeHTML(cancel_url ?? '')}">Back</a>`
}

function page(status: number, content: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html lang="en"><title>Stripe</title><link rel="icon" href="data:,">${content}`,
  }
}

function seeOther(location: string): Answer {
  return { status: 303, headers: { location }, body: '' }
}
