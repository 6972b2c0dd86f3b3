import type { ContentFile, ContentProblem } from '../../application/content/content-files.ts'
import type { Strings } from '../../application/content/strings.ts'
import { onFirstUse } from '../../application/first-use.ts'
import type { Content } from '../../application/ports.ts'
import { TAG_VALUES, type Tag, type TagValues } from '../../domain/excuse.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../domain/language.ts'
import { assembleContent, type RawContent } from './assemble-content.ts'
import { builtInIn } from './built-in.ts'
import { OWN_LIMITS } from './check-content.ts'
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
  return { content: assembleContent(content, tagValuesOf(files)), problems }
}

function withOtherLanguages(
  own: ReadonlyMap<Language, () => RawContent>,
): ReadonlyMap<Language, () => RawContent> {
  const builtInEnglish = builtInIn(DEFAULT_LANGUAGE).strings
  const english = own.get(DEFAULT_LANGUAGE)?.().strings ?? builtInEnglish
  const ownKeys = Object.entries(english).filter(([key]) => !(key in builtInEnglish))
  const added = { ...Object.fromEntries(ownKeys), title: english.title }
  return new Map(
    LANGUAGES.map((language) => [
      language,
      own.get(language) ?? onFirstUse(() => withAdded(builtInIn(language), added)),
    ]),
  )
}

function withAdded({ strings, excuses }: RawContent, added: Partial<Strings>): RawContent {
  return { strings: { ...strings, ...added }, excuses }
}

function withBuiltIn({ language, strings, reasons }: ContentFile): RawContent {
  const builtIn = builtInIn(language)
  const own = [...(strings ?? [])].map(([key, { text }]): [string, string] => [key, text])
  return {
    strings: { ...builtIn.strings, ...Object.fromEntries(own) },
    excuses: reasons?.map(({ line: _, ...excuse }) => excuse) ?? builtIn.excuses,
  }
}

/** The known values, then those of the files. */
function tagValuesOf(files: readonly ContentFile[]): TagValues {
  const excuses = files.flatMap(({ reasons }) => reasons ?? [])
  const valuesOf = (tag: Tag) => [
    ...new Set([...TAG_VALUES[tag], ...excuses.flatMap(({ tags }) => tags[tag])]),
  ]
  return { occasion: valuesOf('occasion'), to: valuesOf('to'), tone: valuesOf('tone') }
}
