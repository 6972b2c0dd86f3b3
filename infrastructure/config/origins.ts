import { isLoopback } from '../../domain/ip-address.ts'
import type { SettingFormat } from './settings-source.ts'

const WEB_ORIGIN = /^https?:\/\/[^\s/?#\\@*]+\/?$/i
/**
 * A host as the URL parser writes it. The parser itself accepts more, such as the $ of a variable that no shell
 * expanded.
 */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/
const EXTENSION_ORIGIN = /^(?:chrome|moz|safari-web)-extension:\/\/[A-Za-z0-9.-]+$/

/** An origin that people or keys are sent to: https, or http where no other machine can listen in. */
export const SECURE_ORIGIN: SettingFormat<string> = {
  shape: 'https://HOST without a path, such as https://alibi.example.com (http only on loopback)',
  parse(text) {
    const origin = parseWebOrigin(text)
    return origin && (origin.startsWith('https:') || isLoopback(new URL(origin).hostname))
      ? origin
      : undefined
  },
}

export const ANY_WEB_ORIGIN: SettingFormat<string> = {
  shape: 'http:// or https:// and a host without a path, such as http://localhost:3000',
  parse: parseWebOrigin,
}

/** Scheme, host and port, normalised and without a slash at the end; undefined for anything that says more. */
function parseWebOrigin(text: string): string | undefined {
  if (!WEB_ORIGIN.test(text) || !URL.canParse(text)) return undefined
  const { hostname, origin } = new URL(text)
  return HOST.test(hostname) ? origin : undefined
}

/** An origin as a browser sends it: a web page's or a browser extension's. */
export function parseBrowserOrigin(text: string): string | undefined {
  return EXTENSION_ORIGIN.test(text) ? text : parseWebOrigin(text)
}
