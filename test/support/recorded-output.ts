/** What a command writes, line by line. */
export function recordedOutput() {
  const lines: string[] = []
  const errorLines: string[] = []
  return {
    lines,
    errorLines,
    print: (text: string) => void lines.push(...text.split('\n')),
    printError: (text: string) => void errorLines.push(...text.split('\n')),
  }
}
