import { rankRecentWrongTries } from '../../../application/access/watch-wrong-codes.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { GUESSING_WINDOW_MS } from '../../../domain/guessing-alarm.ts'
import { wrongCodeTables } from '../code-tables.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-codes.ts'

const LINES_MAX = 20

/** Shows the wrong codes of the last hour over all addresses, and what they hit most. */
export async function showWrongCodes({
  ports,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  ports: Parameters<typeof rankRecentWrongTries>[0]
}): Promise<number> {
  const ranking = await rankRecentWrongTries(ports, { top: LINES_MAX })
  const withinMinutes = GUESSING_WINDOW_MS / MINUTE_MS
  if (json) {
    print(JSON.stringify({ withinMinutes, ...ranking }))
  } else {
    const { tries, addresses, networks } = ranking
    const head = `Wrong codes of the last ${withinMinutes} minutes: ${tries}, addresses: ${addresses}, networks: ${networks}`
    print([head, ...wrongCodeTables(ranking)].join('\n\n'))
  }
  return EXIT.done
}
