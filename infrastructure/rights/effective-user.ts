/** A user and a group, by their numbers. */
export type User = { readonly uid: number; readonly gid: number }

/** The rights of another user, which the process has instead of its own. */
export type TakenRights = {
  /** Whether they differ from those of the caller. */
  readonly areTaken: boolean
  /** Runs this one piece of work, which must not pause, with the rights of whoever has started the process. */
  asCaller<Result>(work: () => Result): Result
  /** Goes back to the rights of the caller for good. */
  giveBack(): void
}

/** Those of the caller: nothing was taken. */
export const CALLERS_RIGHTS: TakenRights = {
  areTaken: false,
  asCaller: (work) => work(),
  giveBack() {},
}

/** The group that nobody is in: the group root of a folder is none that its owner has to be in. */
const NO_GROUP = 65_534

/**
 * Lets root act as another user: files are opened, made and removed with that user's rights, by every thread, and
 * belong to that user (credentials(7)). The real user id stays root's, so that the other user can neither stop the
 * process nor look into it. Throws where the system does not allow it.
 */
export function takeRights(user: User): TakenRights {
  const groups = process.getgroups?.() ?? []
  const callerGroup = process.getegid?.() ?? 0

  function take(): void {
    try {
      if (groups.length > 0) process.setgroups?.([])
      process.setegid?.(user.gid === 0 ? NO_GROUP : user.gid)
      process.seteuid?.(user.uid)
    } catch (error) {
      giveBack()
      throw new Error(`the rights of user ${user.uid} cannot be taken`, { cause: error })
    }
  }

  function giveBack(): void {
    process.seteuid?.(0)
    process.setegid?.(callerGroup)
    if (groups.length > 0) process.setgroups?.([...groups])
  }

  take()
  return {
    areTaken: true,
    asCaller(work) {
      giveBack()
      try {
        return work()
      } finally {
        take()
      }
    },
    giveBack,
  }
}
