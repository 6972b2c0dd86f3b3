import path from 'node:path'

export const ROOT = path.join(import.meta.dir, '../..')

/** A page of Markdown; `file` is its path in the repository. */
export type Document = { readonly file: string; readonly text: string }

/** A fenced block, without its fences. */
export type Block = { readonly language: string; readonly code: string }

const FOLDERS = ['*.md', 'docs/**/*.md', 'operations/**/*.md', 'test/**/*.md', 'bench/*.md']
const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm
const INLINE_CODE = /`([^`\n]+(?:\n[^`\n]+)?)`/g

/** Every page of the repository. */
export const documents = await readDocuments()

async function readDocuments(): Promise<readonly Document[]> {
  const files: string[] = []
  for (const folder of FOLDERS) {
    files.push(...(await Array.fromAsync(new Bun.Glob(folder).scan({ cwd: ROOT }))))
  }
  return Promise.all(files.toSorted().map(async (file) => ({ file, text: await readFile(file) })))
}

/** The page at that path. */
export function named(file: string): Document {
  return documents.find((one) => one.file === file)!
}

/** All that `find` finds wrong with the pages, with the file in front. */
export function wrongIn(find: (document: Document) => readonly string[]): string[] {
  return documents.flatMap((document) => find(document).map((one) => `${document.file}: ${one}`))
}

/** The text of a file of the repository. */
export function readFile(file: string): Promise<string> {
  return Bun.file(path.join(ROOT, file)).text()
}

export function blocksOf({ text }: Document): readonly Block[] {
  return [...text.matchAll(FENCED)].map(([, language = '', code = '']) => ({ language, code }))
}

/** What stands in backticks, outside of fenced blocks. A line break in it counts as a space. */
export function codeSpansOf(document: Document): readonly string[] {
  return [...proseOf(document).matchAll(INLINE_CODE)].map(([, code = '']) =>
    code.replace('\n', ' '),
  )
}

/** Code of both kinds. */
export function codeOf(document: Document): readonly string[] {
  return [...codeSpansOf(document), ...blocksOf(document).map(({ code }) => code)]
}

/** The text without its fenced blocks. */
export function proseOf({ text }: Document): string {
  return text.replace(FENCED, '')
}

/** Links as they are written. */
export function linksOf(document: Document): readonly { text: string; target: string }[] {
  const links = proseOf(document).matchAll(/\[([^\]\n]*)\]\(([^)\s]+)\)/g)
  return Array.from(links, ([, text = '', target = '']) => ({ text, target }))
}

/** What a link may name behind its #, as GitHub derives it from the headings. */
export function anchorsOf(document: Document): ReadonlySet<string> {
  const headings = [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The cells of every row of every table, but for the lines below headings. */
export function rowsOf(document: Document): readonly (readonly string[])[] {
  const rows = proseOf(document).matchAll(/^\| (.+) \|$/gm)
  return [...rows].map(([, row = '']) => row.split(' | '))
}
