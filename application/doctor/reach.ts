import { type Finding, findingsOn } from './finding.ts'
import type { Draw } from './proxy.ts'

/** The outcome of one request. */
export type Probe =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Where it redirects to; null where it does not. */
      readonly location: string | null
      /** Whether it comes from an Alibi, and not from a proxy in front of it or from something else. */
      readonly isAlibi: boolean
      readonly draw: Draw
      /** The version that the answer names; null where it names none. */
      readonly version: string | null
    }
  | { readonly kind: 'no_answer'; readonly trouble: Trouble; readonly code: string }

export type Trouble = 'too_late' | 'unknown_name' | 'refused' | 'certificate' | 'no_tls' | 'broken'

/** The answers to requests that go the users' way, and to direct ones. */
export type ReachFacts = {
  /** The address users reach; null in development where none is set. */
  readonly publicUrl: string | null
  readonly publicAnswer: Probe | null
  /** Where the service listens on this machine; null where the port is picked at each start. */
  readonly localUrl: string | null
  readonly localAnswer: Probe | null
  /** The version that answers there; null where it is not known. */
  readonly servedVersion: string | null
}

const OK = 200
const UNAVAILABLE = 503

export function checkReach(
  facts: ReachFacts,
  { version }: { version: string },
): readonly Finding[] {
  const { publicUrl, publicAnswer, localUrl, localAnswer, servedVersion } = facts
  return [
    checkService(localUrl, localAnswer),
    publicUrl !== null && publicAnswer
      ? checkPublicUrl({ publicUrl, localUrl, localAnswer }, publicAnswer)
      : findingsOn('public url').skipped('PUBLIC_URL is not set'),
    ...(servedVersion === null || servedVersion === version
      ? []
      : [reportVersion(servedVersion, version)]),
  ]
}

function reportVersion(served: string, own: string): Finding {
  return findingsOn('service').warning(
    `version ${served} serves, and this executable is ${own}`,
    'restart the service, or look which executable it starts',
  )
}

function checkService(url: string | null, probe: Probe | null): Finding {
  const { ok, skipped, warning, failed } = findingsOn('service')
  if (url === null || !probe) return skipped('PORT is 0, so that nobody knows where it listens')
  if (probe.kind === 'no_answer') {
    const { trouble, code } = probe
    if (trouble === 'refused') return warning(`nothing listens at ${url}`, 'start the service')
    const how = trouble === 'too_late' ? 'in time' : `as it should (${code})`
    return failed(`${url} does not answer ${how}`, 'look at the log of the service, restart it')
  }
  if (!probe.isAlibi || (probe.status !== OK && probe.status !== UNAVAILABLE)) {
    return failed(
      `what answers at ${url} is not Alibi (HTTP ${probe.status})`,
      'stop the other program, or set PORT to another port, in the proxy as well',
    )
  }
  if (probe.status === OK) return ok(`ready at ${url}`)
  return failed(
    `not ready: ${url} answers ${probe.status}`,
    'look at the log of the service, and at the findings on the database and the disk',
  )
}

function checkPublicUrl(
  {
    publicUrl,
    localUrl,
    localAnswer,
  }: Pick<ReachFacts, 'localUrl' | 'localAnswer'> & {
    publicUrl: string
  },
  probe: Probe,
): Finding {
  const { ok, warning, failed } = findingsOn('public url')
  const target = localUrl ?? 'HOST and PORT'
  if (probe.kind === 'no_answer') return reportTrouble(publicUrl, probe)
  const { status, location, isAlibi } = probe
  if (isAlibi && status === OK) {
    if (localAnswer?.kind === 'no_answer' && localAnswer.trouble === 'refused') {
      return warning(
        `${publicUrl} leads to an Alibi that is ready, and not to ${target}, where nothing listens`,
        'see where the name and the proxy lead to, and that HOST and PORT are those of the service',
      )
    }
    return ok(`${publicUrl} leads to the service, which is ready`)
  }
  if (isAlibi && status === UNAVAILABLE) {
    return failed(`${publicUrl} leads to the service, which is not ready`, 'look at its log')
  }
  if (location !== null) {
    return failed(
      `${publicUrl} redirects to ${location}`,
      'set PUBLIC_URL to the address that answers by itself, or take the redirection away',
    )
  }
  if (status === 502 || status === 503 || status === 504) {
    return failed(
      `${publicUrl} leads to a proxy that does not reach the service (HTTP ${status})`,
      `see that the service runs, and that the proxy passes requests on to ${target}`,
    )
  }
  return failed(
    `what answers at ${publicUrl} is not Alibi (HTTP ${status})`,
    `see where the name leads to, and that the proxy passes requests for it on to ${target}`,
  )
}

function reportTrouble(
  publicUrl: string,
  { trouble, code }: Probe & { kind: 'no_answer' },
): Finding {
  const { failed } = findingsOn('public url')
  switch (trouble) {
    case 'unknown_name':
      if (code === 'EAI_AGAIN') {
        return failed(
          `no name server says where ${publicUrl} is (${code})`,
          'look at /etc/resolv.conf and the network of this machine, and try again',
        )
      }
      return failed(
        `the name in ${publicUrl} is not known (${code})`,
        'add an A or AAAA record for it that leads to this machine, or mend PUBLIC_URL',
      )
    case 'refused':
      return failed(
        `nothing listens at ${publicUrl} (${code})`,
        'start the proxy, and see that the name leads to its machine',
      )
    case 'certificate':
      return failed(
        `the certificate of ${publicUrl} does not hold (${code})`,
        'let the proxy get one for that very name from a public authority; Caddy does so by itself',
      )
    case 'no_tls':
      return failed(
        `what answers at ${publicUrl} does not speak TLS (${code})`,
        'let the proxy serve that port with TLS',
      )
    case 'too_late':
      return failed(
        `${publicUrl} does not answer in time`,
        'see that a firewall lets visitors in; where only this machine cannot reach it, look from another one',
      )
    case 'broken':
      return failed(
        `${publicUrl} cannot be reached (${code})`,
        'see that the name leads to the machine of the proxy, and that a firewall lets visitors in',
      )
  }
}
