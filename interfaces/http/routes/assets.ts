import { type Elysia, t } from 'elysia'
import { findLanguage } from '../../../domain/language.ts'
import { ASSETS, type AssetName, assetAnswer } from '../pages/assets.ts'
import type { WordFiles } from '../pages/page-words.ts'
import { FOLDERS } from '../paths.ts'
import { RequestRefused } from '../request/refusal.ts'

/** Adds style sheet, scripts, icon and words of the pages. */
export function addAssets(routes: Elysia, files: WordFiles): void {
  for (const name of Object.keys(ASSETS) as AssetName[]) {
    routes.get(FOLDERS.assets.path + name, ({ request }) => assetAnswer(ASSETS[name](), request), {
      detail: { hide: true },
    })
  }
  routes.get(
    `${FOLDERS.words.path}:file`,
    ({ request, params }) => {
      const [, code = ''] = /^([a-z]{2})\.json$/.exec(params.file) ?? []
      const language = findLanguage(code)
      const words = language && files.find(language)
      if (!words) throw new RequestRefused('endpoint_not_found')
      return assetAnswer(words.file, request)
    },
    { params: t.Object({ file: t.String() }), detail: { hide: true } },
  )
}
