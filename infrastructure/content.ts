import type { Content } from '../application/ports.ts'
import { LANGUAGES, type Language } from '../domain/language.ts'
import ar from './content/ar.json' with { type: 'json' }
import { assembleContent, type RawContent } from './content/assemble-content.ts'
import { OWN_LIMITS } from './content/check-content.ts'
import type { ContentFile, ContentProblem } from './content/content-file.ts'
import { readContentFolder } from './content/content-folder.ts'
import de from './content/de.json' with { type: 'json' }
import en from './content/en.json' with { type: 'json' }
import es from './content/es.json' with { type: 'json' }
import fr from './content/fr.json' with { type: 'json' }
import hi from './content/hi.json' with { type: 'json' }
import it from './content/it.json' with { type: 'json' }
import ja from './content/ja.json' with { type: 'json' }
import nl from './content/nl.json' with { type: 'json' }
import pl from './content/pl.json' with { type: 'json' }
import pt from './content/pt.json' with { type: 'json' }
import ru from './content/ru.json' with { type: 'json' }
import sv from './content/sv.json' with { type: 'json' }
import tr from './content/tr.json' with { type: 'json' }
import zh from './content/zh.json' with { type: 'json' }

const BUILT_IN: Readonly<Record<Language, RawContent>> = {
  en,
  fr,
  es,
  de,
  it,
  pt,
  nl,
  pl,
  ru,
  ja,
  zh,
  ar,
  hi,
  tr,
  sv,
}

/** The excuses and translations that the executable carries. The tests have checked them. */
export function builtInContent(): Content {
  return assembleContent(new Map(LANGUAGES.map((language) => [language, BUILT_IN[language]])))
}

/**
 * The content of a folder (CONTENT_DIR) in place of the built-in one, in the languages it has a file for. What its files
 * leave out is the built-in content's. Null when anything is wrong that cannot be served; warnings are no reason. Throws
 * Node's error when the folder cannot be read.
 */
export function readOwnContent(folder: string): {
  content: Content | null
  problems: readonly ContentProblem[]
} {
  const { files, problems } = readContentFolder(folder, OWN_LIMITS)
  if (problems.some(({ level }) => level === 'error')) return { content: null, problems }
  const raw = files.map((file) => [file.language, withBuiltIn(file)] as const)
  return { content: assembleContent(new Map(raw)), problems }
}

function withBuiltIn({ language, strings, reasons }: ContentFile): RawContent {
  const builtIn = BUILT_IN[language]
  const own = [...(strings ?? [])].map(([key, { text }]) => [key, text])
  return {
    strings: { ...builtIn.strings, ...Object.fromEntries(own) },
    reasons: reasons?.map(({ text }) => text) ?? builtIn.reasons,
  }
}
