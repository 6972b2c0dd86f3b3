/** `skipped`: not checked, or not known. It is no problem by itself. */
type Level = 'ok' | 'skipped' | 'warning' | 'failed'

/** The result of one check, in words for the operator. */
export type Finding = {
  readonly name: string
  readonly level: Level
  /** Without secrets and without addresses of buyers. */
  readonly text: string
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null
}

/** The findings that a check of this name can make. */
export function findingsOn(name: string) {
  return {
    ok: (text: string): Finding => ({ name, level: 'ok', text, advice: null }),
    skipped: (text: string): Finding => ({ name, level: 'skipped', text, advice: null }),
    warning: (text: string, advice: string): Finding => ({ name, level: 'warning', text, advice }),
    failed: (text: string, advice: string): Finding => ({ name, level: 'failed', text, advice }),
  }
}

/** Those findings that were made: `false` stands for what does not hold. */
export function made(...findings: readonly (Finding | false)[]): Finding[] {
  return findings.filter((finding) => finding !== false)
}

/** Whether nothing failed. A warning is no failure. */
export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'failed')
}

/** The outcome of a request to a provider. */
export type Outcome<Value> = { readonly kind: 'answered'; readonly value: Value } | NoAnswer

export type NoAnswer =
  /** The HTTP status of an answer that refuses the key: 401 or 403. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer, or one that makes no sense. `reason` says why in a few words. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** The finding on a provider that gave no answer: with its name, the setting of its key, and its own pages. */
export function reportNoAnswer(
  name: string,
  answer: NoAnswer,
  {
    provider,
    setting,
    keysPage,
    statusPage,
  }: { provider: string; setting: string; keysPage: string; statusPage: string },
): Finding {
  const { failed } = findingsOn(name)
  return answer.kind === 'refused'
    ? failed(
        `${provider} refuses ${setting} (HTTP ${answer.status})`,
        `make a new key at ${keysPage}, and set it`,
      )
    : failed(
        `${provider} cannot be asked: ${answer.reason}`,
        `look at the network and the firewall of this machine, and at ${statusPage}`,
      )
}
