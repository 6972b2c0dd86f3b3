import type { SandboxAction, SandboxSession } from '../../../application/sandbox-checkout.ts'
import type { Language } from '../../../domain/language.ts'
import { formatAmount } from '../../../domain/money.ts'
import { type Html, html } from './html.ts'
import { type Page, PLAIN_PAGE } from './page.ts'

type State = SandboxSession['state']

const STATE_TEXT: Readonly<Record<State, string>> = {
  open: 'Choose what the buyer does.',
  declined: 'The card was declined. The buyer may try again.',
  awaiting_money:
    'The buyer has agreed to a bank debit, and the money is on its way. Choose what the bank does.',
  paid: 'This session is paid.',
  failed: 'The money bounced. This session takes no more payments.',
  expired: 'This session has expired. It takes no more payments.',
}

const BUYER_ACTIONS: readonly SandboxAction[] = ['pay', 'pay_late', 'decline']
const BANK_ACTIONS: readonly SandboxAction[] = ['money_arrives', 'money_bounces']

const ACTIONS: Readonly<Record<State, readonly SandboxAction[]>> = {
  open: BUYER_ACTIONS,
  declined: BUYER_ACTIONS,
  awaiting_money: BANK_ACTIONS,
  paid: [],
  failed: [],
  expired: [],
}

const ACTION_LABEL: Readonly<Record<SandboxAction, string>> = {
  pay: 'Pay now',
  pay_late: 'Pay by bank debit: the money comes later',
  decline: 'Try a card that is declined',
  money_arrives: 'The money arrives',
  money_bounces: 'The money bounces',
}

type ShownLike = {
  /** Developers read the page, so that all else is in English. */
  readonly priceLanguage: Language
  /** An English one of what is sold, which anybody may read; null where there is none. */
  readonly sample: string | null
}

/** The sandbox provider's hosted page. */
export function sandboxPage(session: SandboxSession, { priceLanguage, sample }: ShownLike): Page {
  const { productName, price, state } = session
  return {
    ...SANDBOX_PAGE,
    title: `Sandbox payment: ${productName}`,
    // Browsers hold the redirect after a form to the same rule, and the buyer may go to another host name.
    formAction: `'self' ${new URL(session.successUrl).origin}`,
    content: html`<div class="card">${BANNER}
<h1>${productName}</h1>
<p class="price"><bdi lang="${priceLanguage}">${formatAmount(price, priceLanguage)}</bdi></p>
${sample !== null && html`<blockquote>${sample}</blockquote>\n`}<p role="status" data-state="${state}">${STATE_TEXT[state]}</p>
${ACTIONS[state].map(actionForm)}
<p class="actions">${wayOut(session)}</p></div>`,
  }
}

export function sandboxProblemPage(status: 400 | 403 | 404): Page {
  const title = {
    400: 'This is no action of the sandbox',
    403: 'Another site may not press these buttons',
    404: 'The sandbox knows no such session',
  }[status]
  return {
    ...SANDBOX_PAGE,
    status,
    title,
    content: html`<div class="card">${BANNER}
<h1>${title}</h1>
<p class="actions"><a class="button" href="/app">Go to Alibi</a></p></div>`,
  }
}

const SANDBOX_PAGE = {
  ...PLAIN_PAGE,
  language: 'en',
  look: 'sandbox',
} as const

const BANNER = html`<p class="banner"><strong>Sandbox: no real money</strong>
This page plays the payment provider during development. It asks for no card and takes no payment.</p>`

function actionForm(action: SandboxAction): Html {
  const look = action === 'pay' || action === 'money_arrives' ? 'button' : 'button quiet'
  return html`<form method="post"><button class="${look}" name="action" value="${action}">${ACTION_LABEL[action]}</button></form>\n`
}

function wayOut({ state, successUrl, cancelUrl }: SandboxSession): Html {
  return state === 'awaiting_money' || state === 'paid'
    ? html`<a href="${successUrl}">Go on to where the buyer goes now</a>`
    : html`<a href="${cancelUrl}">Cancel and go back</a>`
}
