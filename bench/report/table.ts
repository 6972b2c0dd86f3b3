/** What is printed, and what a page shows between its markers of this name. */
export type Table = {
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** For a terminal: the first column to the left, all others to the right. */
export function printed({ head, rows }: Table): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0
          return column === 0 ? cell.padEnd(width) : cell.padStart(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function asMarkdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = `|${head.map((_, column) => (column === 0 ? '---|' : '---:|')).join('')}`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
