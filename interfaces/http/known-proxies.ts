/** More than a service has, as a rule. */
const KNOWN_MAX = 256

/**
 * The same test, faster for the proxies that it has let pass: they send nearly all requests. Strangers are tested each
 * time, so that what is remembered does not depend on them.
 */
export function knowProxies(
  isTrustedProxy: (address: string) => boolean,
): (address: string) => boolean {
  const known = new Set<string>()

  return (address) => {
    if (known.has(address)) return true
    if (!isTrustedProxy(address)) return false
    if (known.size === KNOWN_MAX) known.clear()
    known.add(address)
    return true
  }
}
