import type { Content } from '../../application/ports.ts'
import { LANGUAGES } from '../../domain/language.ts'
import { assembleContent } from './assemble-content.ts'
import { builtInIn } from './built-in.ts'

/** The excuses and translations that the executable carries. The tests have checked them. */
export function builtInContent(): Content {
  return assembleContent(
    new Map(LANGUAGES.map((language) => [language, () => builtInIn(language)])),
  )
}
