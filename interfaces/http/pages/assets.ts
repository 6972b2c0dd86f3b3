import { onFirstUse } from '../../../application/first-use.ts'
import { FOLDERS } from '../paths.ts'
import icon from './assets/icon.svg' with { type: 'text' }
import { bundle, inBase64 } from './bundle.ts' with { type: 'macro' }
import { type StaticAnswer, staticAnswer, staticFile } from './static-answer.ts'

const CSS = { 'content-type': 'text/css; charset=utf-8' }
const JAVASCRIPT = { 'content-type': 'text/javascript; charset=utf-8' }
// A browser that opens the icon by itself treats it as a document, which could run scripts if it had any.
const SVG = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'",
}
// Whoever shows a link to the page may show its picture.
const SHARED_PNG = { 'content-type': 'image/png', 'cross-origin-resource-policy': 'cross-origin' }

/** The files that the pages load, each made when it is first asked for. The executable carries them all. */
export const ASSETS = {
  'app.js': onFirstUse(() => staticAnswer(bundle('browser/app.ts'), JAVASCRIPT)),
  'docs.js': onFirstUse(() => staticAnswer(bundle('browser/docs.ts'), JAVASCRIPT)),
  'icon.svg': onFirstUse(() => staticAnswer(icon, SVG)),
  'page.css': onFirstUse(() => staticAnswer(bundle('assets/page.css'), CSS)),
  'payment.js': onFirstUse(() => staticAnswer(bundle('browser/payment.ts'), JAVASCRIPT)),
  'share.png': onFirstUse(() =>
    staticFile(Uint8Array.fromBase64(inBase64('assets/share.png')), SHARED_PNG),
  ),
} as const

export type AssetName = keyof typeof ASSETS

/** Changes with the asset, so that browsers may keep what they find there for ever. */
export function assetPath(name: AssetName): string {
  return `${FOLDERS.assets.path}${name}?v=${ASSETS[name]().fingerprint}`
}

export function assetAnswer({ fingerprint, answer }: StaticAnswer, request: Request): Response {
  const version = new URL(request.url).searchParams.get('v')
  // Another version's address may reach us while several machines are being updated.
  const isLasting = version === fingerprint
  return answer(request, {
    'cache-control': isLasting ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  })
}
