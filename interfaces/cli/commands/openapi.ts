import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'

export const openapiCommand: Command = {
  name: 'openapi',
  summary: 'print the description of the HTTP interface',
  operands: [],
  options: [],
  details: 'Prints the OpenAPI document that the service answers at /openapi.json.',
  parse: () => ({}),
  async run({ describeApi, print }) {
    print(JSON.stringify(await describeApi(), null, 2))
    return EXIT.done
  },
}
