/** The exit codes. 78 is EX_CONFIG of sysexits.h: a service manager need not try again. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  wrongSettings: 78,
  /** As a shell calls the end by SIGINT. */
  interrupted: 130,
} as const
