import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every answer of Alibi that was checked against the OpenAPI document in this run, and every one that did not fit. */
const seen = new Map<string, Map<number, number>>()
const violations: string[] = []

export function countAnswer(operation: string, status: number, times = 1): void {
  const statuses = seen.get(operation) ?? new Map<number, number>()
  statuses.set(status, (statuses.get(status) ?? 0) + times)
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

/** How often each operation has answered with which status. */
type Ledger = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Keeps what was counted in a file of this process in the folder, in place of what it has kept there before. */
export function keepLedger(folder: string): void {
  const ledger = Object.fromEntries(
    Array.from(seen, ([operation, statuses]) => [operation, Object.fromEntries(statuses)]),
  )
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(ledger))
}

/** Adds what other processes have kept in the folder to what was counted here. */
export function addLedgers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const ledger: Ledger = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    for (const [operation, statuses] of Object.entries(ledger)) {
      for (const [status, count] of Object.entries(statuses)) {
        countAnswer(operation, Number(status), count)
      }
    }
  }
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
