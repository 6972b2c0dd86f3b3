import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'

const RESOLV_CONF = '/etc/resolv.conf'

const LINK_LOCAL = new BlockList()
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4')
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6')

/** The link-local name servers that the system below `root` asks; none where that cannot be read. */
export function readLinkLocalNameServers(root: string): readonly string[] {
  try {
    return findLinkLocalNameServers(readFileSync(within(root, RESOLV_CONF), 'utf8'))
  } catch {
    return []
  }
}

/**
 * Those of resolv.conf(5): a line each, with the interface of an IPv6 address behind a percent sign. Without it, as
 * systemd names addresses, each once.
 */
export function findLinkLocalNameServers(resolvConf: string): readonly string[] {
  const named = resolvConf.split('\n').flatMap((line) => {
    const [, address = ''] = /^\s*nameserver\s+([^\s%#;]+)/.exec(line) ?? []
    return isLinkLocal(address) ? [address.toLowerCase()] : []
  })
  return [...new Set(named)]
}

function isLinkLocal(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && LINK_LOCAL.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** The file that the path leads to on the system below `root`: its links are that system's, not this machine's. */
function within(root: string, path: string): string {
  if (!lstatSync(join(root, path)).isSymbolicLink()) return join(root, path)
  return join(root, resolve(dirname(path), readlinkSync(join(root, path))))
}
