import type { Language } from '../../domain/language.ts'
import { requestLanguage } from './request-language.ts'

/** The language of a page: the one its address names (`?lang=`), else the browser's. */
export function pageLanguage(request: Request): Language {
  const lang = new URL(request.url).searchParams.get('lang')
  return requestLanguage(request, lang ?? undefined)
}
