const MARKUP = Symbol('markup')

/** Text that is markup already. Only this file makes it, so data that was parsed from outside never passes for it. */
export type Html = { readonly [MARKUP]: string }

/** Null and false leave nothing behind. */
export type HtmlValue = Html | string | number | null | false | readonly HtmlValue[]

/** Markup with values put in escaped. Attribute values are written in quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = parts.reduce((text, part, index) => text + toMarkup(values[index - 1]) + part)
  return { [MARKUP]: markup }
}

/** What a `<script type="application/json">` holds. No value can end the element or open a comment in it. */
export function jsonData(value: unknown): Html {
  return { [MARKUP]: JSON.stringify(value).replaceAll('<', '\\u003c') }
}

export function renderHtml(markup: Html): string {
  return markup[MARKUP]
}

function toMarkup(value: HtmlValue | undefined): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return Bun.escapeHTML(value)
  return MARKUP in value ? value[MARKUP] : value.map(toMarkup).join('')
}
