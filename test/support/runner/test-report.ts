/** What has become of the tests of one file. */
export type FileResult = {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
}

/** The entry of a file, which is one level below the root; those of its groups are further in. */
const FILE_ENTRY =
  /^ {2}<testsuite name="[^"]*" file="(?<file>[^"]*)" tests="(?<tests>\d+)" assertions="\d+" failures="(?<failed>\d+)" skipped="(?<skipped>\d+)" time="(?<seconds>[\d.]+)"/gm

/** What `bun test --reporter=junit` has written of each file; of one that could not be loaded there is nothing. */
export function readReport(xml: string): Map<string, FileResult> {
  const written = new Map<string, FileResult>()
  for (const { groups = {} } of xml.matchAll(FILE_ENTRY)) {
    const { file = '', ...numbers } = groups
    const [failed, skipped] = [Number(numbers['failed']), Number(numbers['skipped'])]
    const passed = Number(numbers['tests']) - failed - skipped
    written.set(file, { file, passed, failed, skipped, seconds: Number(numbers['seconds']) })
  }
  return written
}

const SLOWEST_MAX = 10

export function slowestLines(results: readonly FileResult[]): string[] {
  return results
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST_MAX)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`)
}

/** The last line of a run, in which so many other failures count as well. */
export function closingLine(results: readonly FileResult[], others: number): string {
  const sum = (count: 'passed' | 'failed' | 'skipped') =>
    results.reduce((total, result) => total + result[count], 0)
  const skipped = sum('skipped')
  return `${sum('passed')} passed, ${sum('failed') + others} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
