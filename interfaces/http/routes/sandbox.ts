import { type Elysia, t } from 'elysia'
import { SANDBOX_ACTIONS, type SandboxAction } from '../../../application/sandbox-checkout.ts'
import { samplesOf } from '../../../domain/excuse.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../domain/language.ts'
import { pageAnswer } from '../pages/page.ts'
import { sandboxPage, sandboxProblemPage } from '../pages/sandbox-page.ts'
import { FOLDERS } from '../paths.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { pageLanguage, queryOf } from './page-language.ts'

const PATH = `${FOLDERS.sandboxPay.path}:sessionId`
const SCHEMA = { params: t.Object({ sessionId: t.String() }), detail: { hide: true } }

/** Adds the hosted payment page of the sandbox provider. Null where another provider is used: then there is none. */
export function addSandboxPages(
  routes: Elysia,
  { sandbox: sandboxCheckout, ports: { content } }: HttpOptions,
): void {
  if (!sandboxCheckout) return

  routes.get(
    PATH,
    async ({ request, params }) => {
      const session = await sandboxCheckout.find(params.sessionId)
      if (!session) return pageAnswer(request, sandboxProblemPage(404))
      const asked = { headers: request.headers, query: queryOf(request) }
      const priceLanguage = pageLanguage(asked, LANGUAGES)
      const [sample = null] = samplesOf(content.in(DEFAULT_LANGUAGE).excuses)
      return pageAnswer(request, sandboxPage(session, { priceLanguage, sample }))
    },
    SCHEMA,
  )
  routes.post(
    PATH,
    async ({ request, params }) => {
      if (isFromAnotherSite(request)) return pageAnswer(request, sandboxProblemPage(403))
      const action = await readAction(request)
      if (!action) return pageAnswer(request, sandboxProblemPage(400))

      const session = await sandboxCheckout.applyAction(params.sessionId, action)
      if (!session) return pageAnswer(request, sandboxProblemPage(404))
      const isDone = session.state === 'paid' || session.state === 'awaiting_money'
      return seeOther(isDone ? session.successUrl : new URL(request.url).pathname)
    },
    { ...SCHEMA, parse: 'none' },
  )
}

/** Programs send no such header, and every browser of today does (W3C Fetch Metadata). */
function isFromAnotherSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none'
}

/** Null unless the form holds exactly one action that the sandbox knows. */
async function readAction(request: Request): Promise<SandboxAction | null> {
  const body = await exchangeOf(request).readBody()
  const form = new URLSearchParams(body ? new TextDecoder().decode(body) : '')
  const [action, ...others] = form.getAll('action')
  if (others.length > 0) return null
  return SANDBOX_ACTIONS.find((known) => known === action) ?? null
}

function seeOther(location: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  })
}
