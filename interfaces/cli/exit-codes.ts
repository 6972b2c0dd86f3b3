/** The exit codes. 78 is EX_CONFIG of sysexits.h: a service manager need not try again. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2, wrongSettings: 78 } as const
