/** The code of an error of Node's, such as ENOENT; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null
}

/** Whether an error carries this code of Node's. */
export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code
}
