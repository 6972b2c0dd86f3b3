import { fstatSync } from 'node:fs'

/**
 * Whether a file descriptor is connected to systemd's journal. $JOURNAL_STREAM names the journal's stream
 * (systemd.exec(5)). A process may have inherited the variable and still write elsewhere.
 */
export function isJournal(descriptor: number, journalStream: string | undefined): boolean {
  if (!journalStream) return false
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  return journalStream === `${dev}:${ino}`
}

/** The prefix of a line by which the journal knows its level (sd-daemon(3)). The journal does not show it. */
export const JOURNAL_PRIORITIES = {
  debug: '<7>',
  info: '<6>',
  warn: '<4>',
  error: '<3>',
} as const
