import { Elysia } from 'elysia'
import type { HttpOptions } from './options.ts'
import { pageLanguage } from './page-language.ts'
import { appPage } from './pages/app-page.ts'
import { pageAnswer } from './pages/page.ts'
import { wordsOf } from './pages/words.ts'

/** The page on which a person does the whole flow. */
export function appPageRoutes({ ports }: HttpOptions): Elysia {
  const routes = new Elysia()
  routes.get(
    '/app',
    ({ request }) => {
      const language = pageLanguage(request)
      return pageAnswer(appPage(language, wordsOf(ports.content, language)))
    },
    { detail: { hide: true } },
  )
  return routes
}
