import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../infrastructure/files/node-errors.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

/** A pipe that is read when the test says so. */
export function openHeldPipe() {
  const temporary = openTemporaryFolder()
  const path = join(temporary.path, 'pipe')
  Bun.spawnSync(['mkfifo', path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const chunk = Buffer.alloc(65_536)
  const chunks: Buffer[] = []

  /** Reads what is there; false once there is nothing and never will be. */
  function read(): boolean {
    try {
      const length = readSync(reader, chunk)
      chunks.push(Buffer.from(chunk.subarray(0, length)))
      return length > 0
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) return true
      throw error
    }
  }

  return {
    /** Starts a process that writes to the pipe, and returns it. */
    give<Process>(start: (writer: number) => Process): Process {
      const writer = openSync(path, 'w')
      try {
        return start(writer)
      } finally {
        closeSync(writer)
      }
    },
    read,
    async readToTheEnd() {
      while (read()) await Bun.sleep(1)
    },
    closeReader: () => closeSync(reader),
    /** What was read so far. */
    lines: () => String(Buffer.concat(chunks)).split('\n'),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  }
}
