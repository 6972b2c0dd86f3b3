// As much of curl as the lines of the reference need, for machines that have none.

import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: {
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    'data-raw': { type: 'string' },
  },
  allowPositionals: true,
})
const body = values['data-raw'] ?? null
const response = await fetch(positionals[0] ?? '', {
  method: values.request ?? (body === null ? 'GET' : 'POST'),
  headers: values.header.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    return [name, value]
  }),
  body,
})
process.stdout.write(await response.text())
