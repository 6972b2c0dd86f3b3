/** What was counted: so many mails were in the window that begins at `since`, when the last mail had that id. */
type Count = {
  readonly since: Date
  readonly lastId: number
  readonly mails: number
}

/**
 * Tells from an earlier count that a window cannot hold so many mails yet. No mail that was out of the window then
 * comes into it, and each that is new has an id above `lastId`. The ids of the last mails come again once these are
 * deleted, so whoever stores a mail has to ask first, in the same write: then the last id is seen to be a lower one.
 */
export type MailCount = {
  /** Whether the window, whose last mail may have another id by now, has certainly fewer mails. */
  isBelow(most: number, window: Omit<Count, 'mails'>): boolean
  remember(count: Count): void
  /** For where a deletion was undone: mails that were not counted are there again. */
  forget(): void
}

export function mailCount(): MailCount {
  let last: Count | null = null
  return {
    isBelow(most, { since, lastId }) {
      // A clock that was set back, or a table that was emptied, says nothing about what came since.
      if (!last || since < last.since || lastId < last.lastId) return false
      return last.mails + (lastId - last.lastId) < most
    },
    remember(count) {
      last = count
    },
    forget() {
      last = null
    },
  }
}
