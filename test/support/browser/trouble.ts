import { expect } from 'bun:test'
import type { BrowserContext, ConsoleMessage, Request, Response } from 'playwright-core'
import { until } from '../executable/until.ts'

/** What a test brings about, and which is therefore no trouble. */
export type Allowed = {
  /** Statuses of answers. */
  readonly statuses?: readonly number[]
  /** Why requests get no answer, such as `net::ERR_INTERNET_DISCONNECTED`. */
  readonly failures?: readonly string[]
  /** Hosts beside the service's own. */
  readonly hosts?: readonly string[]
}

/** Chrome reports every answer of 400 and more, and every request without an answer. */
const FAILED_LOAD = 'Failed to load resource'

/** What becomes of a request when its page is left before the answer is there. */
const LEFT_BEHIND = 'net::ERR_ABORTED'

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('violates the policy: ' + event.violatedDirective + ' ' + event.blockedURI))`

/** Keeps an eye on all that goes wrong behind a page: errors, broken rules, requests to anybody else. */
export async function watchTrouble(context: BrowserContext, host: string, allowed: Allowed) {
  const { statuses = [], failures = [], hosts = [] } = allowed
  const found: string[] = []
  const seen = new Set<number>()
  const checks: Promise<void>[] = []

  context.on('console', (message: ConsoleMessage) => {
    const type = message.type()
    const isTrouble = type === 'error' || type === 'warning'
    if (isTrouble && !message.text().startsWith(FAILED_LOAD)) {
      found.push(`the console says: ${message.text()}`)
    }
  })
  context.on('weberror', (error) => void found.push(`a script threw: ${error.error()}`))
  context.on('request', (request: Request) => {
    const other = new URL(request.url()).host
    if (other !== host && !hosts.includes(other)) found.push(`a request to ${request.url()}`)
  })
  context.on('response', (response: Response) => {
    const status = response.status()
    seen.add(status)
    if (new URL(response.url()).host === host) checks.push(checkAsDescribed(response))
    if (status >= 400 && !statuses.includes(status)) {
      found.push(`${status} from ${response.url()}`)
    }
  })
  context.on('requestfailed', (request: Request) => {
    const failure = request.failure()?.errorText ?? ''
    if (failure !== LEFT_BEHIND && !failures.includes(failure))
      found.push(`${failure} from ${request.url()}`)
  })
  await context.addInitScript({ content: REPORT_VIOLATIONS })

  return {
    /** Throws, too, when a status was allowed that was never answered. */
    async expectNone(): Promise<void> {
      // The page may show what comes of an answer before the driver tells of the answer.
      const isSeen = () => statuses.every((status) => seen.has(status))
      await until(`answers were seen with every status of ${statuses}`, isSeen)
      await Promise.all(checks)
      expect(found).toEqual([])
    },
  }
}

/** Throws for an answer that is not as the OpenAPI document says. One that a test has played comes from no server. */
async function checkAsDescribed(response: Response): Promise<void> {
  // Of a page that was left at once there is nothing to be had any more.
  const [server, headers, body] = await Promise.all([
    response.serverAddr(),
    response.allHeaders(),
    response.body(),
  ]).catch(() => [null])
  if (!server || !headers || !body) return
  const { checkAnswer } = await import('../answers/checked-answers.ts')
  const status = response.status()
  const hasBody = status !== 204 && status !== 304
  await checkAnswer(
    { method: response.request().method(), url: response.url() },
    new globalThis.Response(hasBody ? body : null, { status, headers }),
  )
}
