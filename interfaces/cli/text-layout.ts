/** A title, and below it rows of cells that stand below each other. */
export function section(title: string, rows: readonly (readonly string[])[]): string {
  return [`${title}:`, ...alignColumns(rows).map((line) => `  ${line}`)].join('\n')
}

/** A section whose columns have names, or one line where there is nothing to show. */
export function tableSection(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return rows.length === 0 ? `${title}: none` : section(title, [header, ...rows])
}

/** Lines in which every column is as wide as its widest cell. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  return rows.map((row) => padCells(row, widths))
}

/** One line; a cell that is wider than its column pushes the others aside. */
export function padCells(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()
}
