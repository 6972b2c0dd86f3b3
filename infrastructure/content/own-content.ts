import type { Strings } from '../../application/content/strings.ts'
import { onFirstUse } from '../../application/first-use.ts'
import type { Content } from '../../application/ports.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'
import { assembleContent, type RawContent } from './assemble-content.ts'
import { BUILT_IN } from './built-in.ts'
import { OWN_LIMITS } from './check-content.ts'
import type { ContentFile, ContentProblem } from './content-file.ts'
import { readContentFolder } from './content-folder.ts'

/**
 * The content of a folder (CONTENT_DIR) in place of the built-in one. The built-in content fills in what a file leaves
 * out. Where no excuses are replaced, a language without a file stays, with the title and the operator's own keys in
 * English. `content` is null when something cannot be served: `problems` says what.
 */
export function readOwnContent(folder: string): {
  content: Content | null
  problems: readonly ContentProblem[]
} {
  const { files, problems } = readContentFolder(folder, OWN_LIMITS)
  if (problems.length > 0) return { content: null, problems }

  const own = new Map(
    files.map((file) => {
      const raw = withBuiltIn(file)
      return [file.language, () => raw]
    }),
  )
  const keepsExcuses = files.every(({ reasons }) => reasons === null)
  const content = keepsExcuses ? withOtherLanguages(own) : own
  return { content: assembleContent(content), problems }
}

function withOtherLanguages(
  own: ReadonlyMap<Language, () => RawContent>,
): ReadonlyMap<Language, () => RawContent> {
  const builtInEnglish = BUILT_IN[DEFAULT_LANGUAGE]().strings
  const english = own.get(DEFAULT_LANGUAGE)?.().strings ?? builtInEnglish
  const ownKeys = Object.entries(english).filter(([key]) => !(key in builtInEnglish))
  const added = { ...Object.fromEntries(ownKeys), title: english.title }
  return new Map(
    LANGUAGES.map((language) => [
      language,
      own.get(language) ?? onFirstUse(() => withAdded(BUILT_IN[language](), added)),
    ]),
  )
}

function withAdded({ strings, reasons }: RawContent, added: Partial<Strings>): RawContent {
  return { strings: { ...strings, ...added }, reasons }
}

function withBuiltIn({ language, strings, reasons }: ContentFile): RawContent {
  const builtIn = BUILT_IN[language]()
  const own = [...(strings ?? [])].map(([key, { text }]): [string, string] => [key, text])
  return {
    strings: { ...builtIn.strings, ...Object.fromEntries(own) },
    reasons: reasons?.map(({ text }) => text) ?? builtIn.reasons,
  }
}
