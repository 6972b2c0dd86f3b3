// biome-ignore-all lint/style/noCommonJs: only this loads a module late without making its reader wait
// Why: docs/decisions.md#a-start-makes-what-its-first-answer-needs

import type { Strings } from '../../application/content/strings.ts'
import type { Language } from '../../domain/language.ts'
import type { RawContent } from './assemble-content.ts'
import { excuseOf, type RawExcuse } from './raw-excuse.ts'

type BuiltInFile = {
  readonly strings: Strings
  readonly reasons: readonly (string | RawExcuse)[]
}

/** The content in a language that the executable carries, loaded when it is asked for. The tests have checked it. */
export function builtInIn(language: Language): RawContent {
  const { strings, reasons } = FILES[language]()
  return { strings, excuses: reasons.map(excuseOf) }
}

const FILES: Readonly<Record<Language, () => BuiltInFile>> = {
  en: () => require('./en.json'),
  fr: () => require('./fr.json'),
  es: () => require('./es.json'),
  de: () => require('./de.json'),
  it: () => require('./it.json'),
  pt: () => require('./pt.json'),
  nl: () => require('./nl.json'),
  pl: () => require('./pl.json'),
  ru: () => require('./ru.json'),
  ja: () => require('./ja.json'),
  zh: () => require('./zh.json'),
  ar: () => require('./ar.json'),
  hi: () => require('./hi.json'),
  tr: () => require('./tr.json'),
  sv: () => require('./sv.json'),
}
