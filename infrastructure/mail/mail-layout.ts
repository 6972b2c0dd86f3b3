import { PLACEHOLDER, type StringKey, type Strings } from '../../application/content/strings.ts'
import { type Language, textDirection } from '../../domain/language.ts'

export type EmailContent = {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** A paragraph as it stands in each of the two parts; `html` is empty where it belongs to the text alone. */
export type Block = { readonly text: string; readonly html: string }

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"

/** The same paragraphs as text and as HTML. Nothing is loaded, and styles are inline, as mail programs want them. */
export function layOutMail({
  language,
  subject,
  preheader,
  blocks,
}: {
  language: Language
  subject: string
  /** The text that lists of mails show beside the subject; null where the first paragraph will do. */
  preheader: string | null
  blocks: readonly Block[]
}): EmailContent {
  const preview = preheader === null ? [] : [hidden(preheader)]
  const paragraphs = blocks.map(({ html }) => html).filter((html) => html !== '')
  const html = `<!doctype html>
<html lang="${language}" dir="${textDirection(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(subject)}</title>
</head>
<body style="margin:0;padding:24px;font-size:16px;line-height:1.5;${FONT}">
${[...preview, '<div style="max-width:480px;margin:0 auto">', ...paragraphs].join('\n')}
</div>
</body>
</html>
`
  return {
    subject,
    text: blocks.map(({ text }) => text).join('\n\n'),
    html,
    // RFC 3834: no out-of-office reply is wanted.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

function hidden(words: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden">${Bun.escapeHTML(words)}</div>`
}

export function paragraph(...lines: readonly string[]): Block {
  return {
    text: lines.join('\n'),
    html: `<p>${lines.map((line) => Bun.escapeHTML(line)).join('<br>')}</p>`,
  }
}

/** The string of a key with its placeholders filled in; one without a value stays for the caller to place. */
export function translator(
  strings: Strings,
  values: Readonly<Record<string, string>>,
): (key: StringKey) => string {
  return (key) =>
    strings[key].replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder)
}
