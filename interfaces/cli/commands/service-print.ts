import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'

export const servicePrintCommand: Command = {
  name: 'service print',
  summary: 'print the unit that "service install" writes',
  operands: [],
  options: [],
  details: `For this machine: with a link-local name server that its /etc/resolv.conf names. Writes nothing to
disk, and needs no rights.`,
  parse: () => ({}),
  async run({ readUnit, print }) {
    print((await readUnit()).trimEnd())
    return EXIT.done
  },
}
