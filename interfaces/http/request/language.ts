import {
  DEFAULT_LANGUAGE,
  findLanguage,
  type Language,
  matchLanguage,
} from '../../../domain/language.ts'
import { readPreferences } from './accept.ts'

/** The language of a request: the one it names, else by its Accept-Language among those offered, else the default. */
export function requestLanguage(
  request: Pick<Request, 'headers'>,
  { lang, offered }: { lang: string | undefined; offered: readonly Language[] },
): Language {
  if (lang !== undefined) return matchLanguage(lang)
  return acceptedLanguage(request.headers.get('accept-language'), offered)
}

/** The language on offer that an Accept-Language header (RFC 9110, section 12.5.4) prefers, or the default. */
export function acceptedLanguage(header: string | null, offered: readonly Language[]): Language {
  const [preferred] = readPreferences(header)
    .filter(({ quality }) => quality > 0)
    .flatMap(({ value }) => findLanguage(value) ?? [])
    .filter((language) => offered.includes(language))
  return preferred ?? DEFAULT_LANGUAGE
}
