import { dlopen, type FFIFunction, type Library } from 'bun:ffi'

/** The file names of glibc and musl. */
const LIBC_NAMES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/** Functions of libc that the runtime does not offer. Throws where they cannot be called. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] {
  const failures: unknown[] = []
  for (const name of LIBC_NAMES) {
    try {
      return dlopen(name, functions).symbols
    } catch (error) {
      failures.push(error)
    }
  }
  throw new Error('libc cannot be called', { cause: failures[0] })
}
