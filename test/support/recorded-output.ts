/** What a command writes, line by line. */
export function recordedOutput() {
  const lines: string[] = []
  const complaints: string[] = []
  return {
    lines,
    complaints,
    print: (text: string) => void lines.push(...text.split('\n')),
    complain: (text: string) => void complaints.push(...text.split('\n')),
  }
}
