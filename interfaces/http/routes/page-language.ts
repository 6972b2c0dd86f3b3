import type { Content, LanguageContent } from '../../../application/ports.ts'
import { findLanguage, type Language } from '../../../domain/language.ts'
import { LANGUAGE_COOKIE } from '../pages/page-data.ts'
import { exchangeOf } from '../request/exchange.ts'
import { firstEntries } from '../request/header-list.ts'
import { requestLanguage } from '../request/language.ts'

/** The parts of a request on which the language depends. */
type Asked = Pick<Request, 'headers'> & { readonly query: URLSearchParams }

/** As the routes see it. */
export function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(exchangeOf(request).target.search)
}

/** The language of a page: the one its address names (`?lang=`), else the one chosen before, else the browser's. */
export function pageLanguage(request: Asked, offered: readonly Language[]): Language {
  const lang = request.query.get('lang') ?? chosenLanguage(request, offered) ?? undefined
  return requestLanguage(request, { lang, offered })
}

/** The content of a page, in its language. */
export function pageContent(content: Content, request: Asked): LanguageContent {
  return content.in(pageLanguage(request, content.languages))
}

function chosenLanguage(
  request: Pick<Request, 'headers'>,
  offered: readonly Language[],
): Language | null {
  const start = `${LANGUAGE_COOKIE}=`
  const cookies = firstEntries(request.headers.get('cookie'), ';')
  const cookie = cookies.find((one) => one.startsWith(start)) ?? ''
  const chosen = findLanguage(cookie.slice(start.length))
  return chosen && offered.includes(chosen) ? chosen : null
}
