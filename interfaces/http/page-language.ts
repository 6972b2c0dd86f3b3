import type { Content, LanguageContent } from '../../application/ports.ts'
import type { Language } from '../../domain/language.ts'
import { requestLanguage } from './request-language.ts'

/** The language of a page: the one its address names (`?lang=`), else the browser's. */
export function pageLanguage(request: Request, offered: readonly Language[]): Language {
  const lang = new URL(request.url).searchParams.get('lang') ?? undefined
  return requestLanguage(request, { lang, offered })
}

/** What there is to say on a page, in its language. */
export function pageContent(content: Content, request: Request): LanguageContent {
  return content.in(pageLanguage(request, content.languages))
}
