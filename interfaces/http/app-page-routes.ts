import { Elysia } from 'elysia'
import type { HttpOptions } from './options.ts'
import { pageContent } from './page-language.ts'
import { appPage } from './pages/app-page.ts'
import { pageAnswer } from './pages/page.ts'
import { wordsOf } from './pages/words.ts'

/** The page on which a person does the whole flow. */
export function appPageRoutes({ ports }: HttpOptions): Elysia {
  const routes = new Elysia()
  routes.get(
    '/app',
    ({ request }) => {
      const { language, strings } = pageContent(ports.content, request)
      const { languages } = ports.content
      return pageAnswer(appPage({ language, languages, words: wordsOf(strings) }))
    },
    { detail: { hide: true } },
  )
  return routes
}
