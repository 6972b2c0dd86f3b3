import { fstatSync } from 'node:fs'

/**
 * Whether what is written to a file descriptor goes to systemd's journal, which says in $JOURNAL_STREAM what it is
 * connected to (systemd.exec(5)). A process that another one has started may have inherited the variable, and write
 * elsewhere.
 */
export function isJournal(descriptor: number, journalStream: string | undefined): boolean {
  if (!journalStream) return false
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  return journalStream === `${dev}:${ino}`
}

/** What stands before a line so that the journal knows how grave it is (sd-daemon(3)), and does not show it. */
export const JOURNAL_PRIORITIES = {
  debug: '<7>',
  info: '<6>',
  warning: '<4>',
  error: '<3>',
} as const
