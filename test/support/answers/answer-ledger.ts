/** Every answer of Alibi that was checked against the OpenAPI document in this run, and every one that did not fit. */
const seen = new Map<string, Map<number, number>>()
const violations: string[] = []

export function countAnswer(operation: string, status: number): void {
  const statuses = seen.get(operation) ?? new Map<number, number>()
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  seen.set(operation, statuses)
}

/** Keeps what is wrong with an answer, for a caller may catch what is thrown about it. */
export function noteViolation(text: string): void {
  violations.push(text)
}

/** What is wrong with the answers since it was last asked. */
export function takeViolations(): string[] {
  return violations.splice(0)
}

/** A line for each operation: how often it answered with which status. */
export function ledgerLines(): string[] {
  return Array.from(seen)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([operation, statuses]) => {
      const counts = Array.from(statuses).sort(([left], [right]) => left - right)
      return `${operation}: ${counts.map(([status, count]) => `${status} ×${count}`).join(', ')}`
    })
}
