import appScript from './assets/app.js' with { type: 'text' }
import icon from './assets/icon.svg' with { type: 'text' }
import styleSheet from './assets/page.css' with { type: 'text' }
import refreshScript from './assets/refresh.js' with { type: 'text' }
import { staticAnswer } from './static-answer.ts'

const CSS = { 'content-type': 'text/css; charset=utf-8' }
const JAVASCRIPT = { 'content-type': 'text/javascript; charset=utf-8' }
// An icon that someone opens by itself is a document, and could run scripts if it had any.
const SVG = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'",
}

/** What the pages load, all of it carried by the executable. */
export const ASSETS = {
  'app.js': staticAnswer(appScript, JAVASCRIPT),
  'icon.svg': staticAnswer(icon, SVG),
  'page.css': staticAnswer(styleSheet, CSS),
  'refresh.js': staticAnswer(refreshScript, JAVASCRIPT),
} as const

export type AssetName = keyof typeof ASSETS

/** Changes with the asset, so that browsers may keep what they find there for ever. */
export function assetPath(name: AssetName): string {
  return `/assets/${name}?v=${ASSETS[name].fingerprint}`
}

export function assetAnswer(name: AssetName, request: Request): Response {
  const { fingerprint, answer } = ASSETS[name]
  const version = new URL(request.url).searchParams.get('v')
  // Another version's address may reach us while several machines are being updated.
  const isLasting = version === fingerprint
  return answer(request, {
    'cache-control': isLasting ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  })
}
