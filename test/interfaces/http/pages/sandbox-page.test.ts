import { describe, expect, test } from 'bun:test'
import type {
  SandboxAction,
  SandboxCheckout,
  SandboxSession,
} from '../../../../application/sandbox-checkout.ts'
import { expectDecentPage, visitor } from '../../../support/http/page-visitor.ts'

const SESSION: SandboxSession = {
  sessionId: 'cs_test_1',
  productName: 'Alibi <Premium>',
  price: { amount: 1234, currency: 'eur' },
  state: 'open',
  successUrl: 'http://localhost:3000/payment/success?session_id=cs_test_1',
  cancelUrl: 'http://localhost:3000/payment/cancel',
}

const NEXT_STATE: Record<SandboxAction, SandboxSession['state']> = {
  pay: 'paid',
  pay_late: 'awaiting_money',
  decline: 'declined',
  money_arrives: 'paid',
  money_bounces: 'failed',
}

/** A desk with one session, on which every action works in every state. */
function obedientCheckout(start: Partial<SandboxSession> = {}) {
  let session = { ...SESSION, ...start }
  const actions: SandboxAction[] = []
  const sandboxCheckout: SandboxCheckout = {
    find: async (sessionId) => (sessionId === session.sessionId ? session : null),
    async applyAction(sessionId, action) {
      actions.push(action)
      if (sessionId !== session.sessionId) return null
      session = { ...session, state: NEXT_STATE[action] }
      return session
    },
  }
  return { sandboxCheckout, actions }
}

function sandboxVisitor(start: Partial<SandboxSession> = {}) {
  const { sandboxCheckout, actions } = obedientCheckout(start)
  return { ...visitor({ sandbox: sandboxCheckout }), actions }
}

const PATH = '/sandbox/pay/cs_test_1'

function actionsOffered(text: string): string[] {
  return Array.from(text.matchAll(/name="action" value="(\w+)"/g), ([, action]) => action!)
}

describe('the sandbox page', () => {
  test('cannot be mistaken for a real one', async () => {
    const { get } = sandboxVisitor()
    const page = await get(PATH)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Sandbox: no real money')
    expect(page.text).not.toMatch(/stripe|card number/i)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expectDecentPage(page)
  })

  test('shows the product, escaped, and the price as the language writes it', async () => {
    const { get } = sandboxVisitor()
    const english = await get(PATH)
    expect(english.text).toContain('<h1>Alibi &lt;Premium&gt;</h1>')
    expect(english.text).toContain('€12.34')
    const german = await get(PATH, { 'accept-language': 'de' })
    expect(german.text).toContain('<bdi lang="de">12,34\u00a0€</bdi>')
  })

  test('knows that some currencies have no minor unit', async () => {
    const { get } = sandboxVisitor({ price: { amount: 500, currency: 'jpy' } })
    expect((await get(PATH)).text).toContain('¥500')
  })

  test.each([
    ['open', ['pay', 'pay_late', 'decline']],
    ['declined', ['pay', 'pay_late', 'decline']],
    ['awaiting_money', ['money_arrives', 'money_bounces']],
    ['paid', []],
    ['failed', []],
    ['expired', []],
  ] as const)('offers a session that is %s the actions %p', async (state, actions) => {
    const { get } = sandboxVisitor({ state })
    const { text } = await get(PATH)
    expect(text).toContain(`data-state="${state}"`)
    expect(actionsOffered(text)).toEqual([...actions])
  })

  test('has a way to cancel', async () => {
    const { get } = sandboxVisitor()
    expect((await get(PATH)).text).toContain(`href="${SESSION.cancelUrl}"`)
  })

  test('lets its forms lead to the page after the payment, on whatever host that is', async () => {
    const { get } = sandboxVisitor({ successUrl: 'http://127.0.0.1:3000/payment/success' })
    const { headers } = await get(PATH)
    expect(headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:3000;",
    )
  })

  test('answers 404 with a page to an unknown session', async () => {
    const { get, submit } = sandboxVisitor()
    const page = await get('/sandbox/pay/cs_test_2')
    expect(page.status).toBe(404)
    expectDecentPage(page)
    expect((await submit('/sandbox/pay/cs_test_2', 'action=pay')).status).toBe(404)
  })

  test('is not there without the sandbox provider', async () => {
    const { get, submit } = visitor({ sandbox: null })
    for (const answer of [await get(PATH), await submit(PATH, 'action=pay')]) {
      expect(answer.text).not.toContain('<html')
    }
  })
})

describe('an action', () => {
  test.each(['pay', 'pay_late', 'money_arrives'] as const)(
    '%s leads on to the page after the payment',
    async (action) => {
      const { submit, actions } = sandboxVisitor()
      const answer = await submit(PATH, `action=${action}`)
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toBe(SESSION.successUrl)
      expect(actions).toEqual([action])
    },
  )

  test.each(['decline', 'money_bounces'] as const)(
    '%s leads back to the sandbox page',
    async (action) => {
      const { submit, get } = sandboxVisitor()
      const answer = await submit(PATH, `action=${action}`)
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toBe(PATH)
      expect((await get(PATH)).text).toContain(`data-state="${NEXT_STATE[action]}"`)
    },
  )

  test('late money is decided on the page itself, from button to button', async () => {
    const { get, submit } = sandboxVisitor()
    await submit(PATH, 'action=pay_late')
    const [, bounces] = actionsOffered((await get(PATH)).text)
    await submit(PATH, `action=${bounces}`)
    expect((await get(PATH)).text).toContain('data-state="failed"')
  })

  test.each([
    '',
    'action=',
    'action=refund',
    'action=toString',
    'action=pay&action=decline',
    '{"action":"pay"}',
  ])('%p is refused with 400 and changes nothing', async (form) => {
    const { submit, actions } = sandboxVisitor()
    const page = await submit(PATH, form)
    expect(page.status).toBe(400)
    expect(actions).toEqual([])
    expectDecentPage(page)
  })

  test.each(['cross-site', 'same-site'])('from a %s page is refused with 403', async (site) => {
    const { submit, actions } = sandboxVisitor()
    const page = await submit(PATH, 'action=pay', { 'sec-fetch-site': site })
    expect(page.status).toBe(403)
    expect(actions).toEqual([])
    expectDecentPage(page)
  })

  test.each(['same-origin', 'none'])('from a %s page is taken', async (site) => {
    const { submit } = sandboxVisitor()
    expect((await submit(PATH, 'action=pay', { 'sec-fetch-site': site })).status).toBe(303)
  })
})
