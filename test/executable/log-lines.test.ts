import { expect, test } from 'bun:test'
import { openProduction } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { openHeldPipe } from '../support/held-pipe.ts'

const REQUESTS = 200
/** Their lines are some three times what a pipe holds. */
const REQUESTS_UNREAD = 1000

type Line = { event: string; request?: string; port?: number }

/** The id of the request, once it is answered. */
async function ask(url: string): Promise<string> {
  const response = await fetch(`${url}/languages`)
  await response.arrayBuffer()
  return response.headers.get('x-request-id') ?? ''
}

/** Throws where a line is not whole. */
function readLines(output: string): readonly Line[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

function requestsOf(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ event, request }) => (event === 'http.request' ? [request ?? ''] : []))
}

test('after SIGTERM every answer has its line, and the last line says that it has stopped', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const asked = await Promise.all(Array.from({ length: REQUESTS }, () => ask(alibi.url)))
  expect(await alibi.stop()).toBe(0)
  const lines = readLines(alibi.output())
  expect(requestsOf(lines).toSorted()).toEqual(asked.toSorted())
  expect(lines.at(-1)?.event).toBe('service.stopped')
})

test('SIGKILL costs no more than the lines of one turn of the event loop', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const asked: string[] = []
  for (let count = 0; count < REQUESTS; count++) asked.push(await ask(alibi.url))
  await alibi.stop('SIGKILL')
  // Each request came after the turn that had answered the one before.
  const known = requestsOf(readLines(alibi.output()))
  expect(known.slice(0, REQUESTS - 1)).toEqual(asked.slice(0, -1))
})

test('a log that nobody reads keeps nobody from being served, and is whole once it is read', async () => {
  await using production = await openProduction()
  using pipe = openHeldPipe()
  const { executable, folder, settings } = production
  const child = pipe.give((stdout) =>
    Bun.spawn([executable, 'serve'], {
      cwd: folder,
      env: { PORT: '0', LOG_FORMAT: 'json', ...settings },
      stdout,
    }),
  )
  try {
    await until('it serves', () => pipe.read() && pipe.lines().length > 1)
    const [serving = ''] = pipe.lines()
    const url = `http://127.0.0.1:${(JSON.parse(serving) as Line).port}`
    const asked: string[] = []
    for (let count = 0; count < REQUESTS_UNREAD; count++) asked.push(await ask(url))
    child.kill('SIGTERM')
    await pipe.readToTheEnd()
    expect(await child.exited).toBe(0)
    const lines = readLines(pipe.lines().join('\n'))
    expect(requestsOf(lines)).toEqual(asked)
    expect(lines.at(-1)?.event).toBe('service.stopped')
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
})
