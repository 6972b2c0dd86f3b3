import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listen } from '../../../interfaces/http/listen.ts'
import { residentBytes } from '../stress/process-figures.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { type AttackSize, type DayFigures, playAttackDay } from './attack-day.ts'
import { openAttackedService } from './attacked-service.ts'

// `bun run attack-program.ts SIZE` plays a day of attack in a process of its own, so that its memory can be measured.
// It prints the address at which the service listens, begins with the first line of standard input, and prints what
// came of the day.

/** What the program prints at its end. */
export type ProgramFigures = DayFigures & {
  /** Before the attack. */
  readonly residentBeforeBytes: number
  /** At the worst moment. */
  readonly residentMaxBytes: number
}

const size = JSON.parse(process.argv[2] ?? '') as AttackSize
using folder = openTemporaryFolder()
const service = await openAttackedService({ path: join(folder.path, 'alibi.db'), size })
const listener = listen({ host: '127.0.0.1', port: 0 })
listener.use(service.handler)
process.stdout.write(`${listener.url}\n`)
for await (const _ of console) break
const residentBeforeBytes = residentBytes(process.pid)

const figures = await playAttackDay(size, service)
process.stdout.write(
  `${JSON.stringify({ ...figures, residentBeforeBytes, residentMaxBytes: residentMax() })}\n`,
)
await listener.stop()
service.close()
process.exit(0)

function residentMax(): number {
  const [, kibibytes = ''] =
    /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
