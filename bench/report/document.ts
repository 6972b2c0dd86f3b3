import { asMarkdown, type Table } from './table.ts'

/**
 * A page with the table put between its markers, `<!-- NAME -->` and `<!-- /NAME -->`, with a line on where its figures
 * are from. Throws where the page has no place for it.
 */
export function withTable(page: string, table: Table, source: string): string {
  const [begin, end] = [`<!-- ${table.name} -->`, `<!-- /${table.name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the page has no ${begin} and ${end}`)
  const content = `\n${asMarkdown(table)}\n\n${source}\n\n`
  return page.slice(0, from + begin.length) + content + page.slice(to)
}
