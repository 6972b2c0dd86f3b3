import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { textsOf } from '../support/fakes.ts'
import { operationIds, runWell, startDevelopment } from '../support/generators/development.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dir, '../..')
/** Where Python finds the generator's packages, if it is not where they are installed by default. */
const ENV = { PYTHONPATH: process.env['PYTHONPATH'] ?? '' }

/** Whether there is the generator, and what the clients it makes import. Where there is not, the output says so. */
function hasGenerator(): boolean {
  const isThere =
    ['python3', 'openapi-python-client', 'ruff'].every((program) => Bun.which(program)) &&
    Bun.spawnSync(['python3', '-c', 'import openapi_python_client, httpx, attrs'], {
      env: { PATH: process.env['PATH'] ?? '', ...ENV },
    }).success
  if (!isThere) {
    console.log(
      'not tested here: the client of openapi-python-client, which is not installed for python3',
    )
  }
  return isThere
}

/** A folder with the client that openapi-python-client makes of a service's document, and the example. */
async function generate(alibiUrl: string): Promise<string> {
  const folder = temporaryFolder()
  const options = ['--meta', 'none', '--output-path', 'alibi', '--fail-on-warning']
  const url = `${alibiUrl}/openapi.json`
  await runWell(['openapi-python-client', 'generate', '--url', url, ...options], {
    cwd: folder,
    env: ENV,
  })
  copyFileSync(join(ROOT, 'examples/generated_client.py'), join(folder, 'generated_client.py'))
  return folder
}

/** Walks as the example does, twice, then with a wrong code, and prints what it is told as JSON. */
const WALK = `
import json, sys
import httpx
from generated_client import walk

url, email = sys.argv[1:]
payments = []

def pay(checkout_url):
    payments.append(httpx.post(checkout_url, data={"action": "pay"}, follow_redirects=True))

def visit():
    excuse, words, logged_out = walk(url, email, lambda dev_code: dev_code, pay)
    return {
        "excuse": excuse.to_dict(),
        "strings": words.to_dict()["strings"],
        "loggedOut": [logged_out.status_code, logged_out.parsed.error],
    }

visits = [visit(), visit()]
try:
    walk(url, email, lambda dev_code: "no code", pay)
except RuntimeError as error:
    refusal = str(error)
pages = [[page.status_code, page.url.path] for page in payments]
print(json.dumps({"visits": visits, "refusal": refusal, "pages": pages}))
`

/** Imports every module of the client, and prints the names of those that make a request. */
const LIST_OPERATIONS = `
import importlib, json, pkgutil
import alibi

modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(alibi.__path__, "alibi.")]
print(json.dumps([one.__name__ for one in modules if callable(getattr(one, "sync_detailed", None))]))
`

test('the client that openapi-python-client makes without a warning compiles, walks the whole way with one code, and then without paying', async () => {
  if (!hasGenerator()) return
  const url = await startDevelopment()
  const folder = await generate(url)
  await runWell(['python3', '-m', 'compileall', '-q', '.'], { cwd: folder })

  const email = 'buyer@example.com'
  const printed = await runWell(['python3', '-c', WALK, url, email], { cwd: folder, env: ENV })
  const { visits, refusal, pages } = JSON.parse(printed)
  expect(visits).toHaveLength(2)
  for (const { excuse, strings, loggedOut } of visits) {
    expect(textsOf(builtInContent().in('en'))).toContain(excuse.reason)
    expect(excuse).toEqual({ reason: excuse.reason, language: 'en', email })
    expect(strings).toEqual(builtInContent().in('sv').strings)
    expect(loggedOut).toEqual([401, 'Invalid or expired token'])
  }
  expect({ refusal, pages }).toEqual({
    refusal: 'Invalid or expired code',
    pages: [[200, '/payment/success']],
  })
})

test('it has a module that makes the request of each operation of the document, and no other', async () => {
  if (!hasGenerator()) return
  const url = await startDevelopment()
  const folder = await generate(url)
  const printed = await runWell(['python3', '-c', LIST_OPERATIONS], { cwd: folder, env: ENV })
  const modules: readonly string[] = JSON.parse(printed)
  const names = (await operationIds(url)).map(snakeCase)
  expect(modules.map((name) => name.split('.').at(-1)).toSorted()).toEqual(names.toSorted())
})

test('docs/client.md names the version that makes this client, and .ci/run brings that one', async () => {
  const [page = '', run = ''] = await Promise.all(
    ['docs/client.md', '.ci/run'].map((file) => Bun.file(join(ROOT, file)).text()),
  )
  const version = /openapi-python-client==(\S+)/.exec(run)?.[1]
  expect(page).toContain(`pip install openapi-python-client==${version}\n`)
  if (!hasGenerator()) return
  const printed = await runWell(['openapi-python-client', '--version'], { cwd: ROOT, env: ENV })
  expect(printed.trim()).toEndWith(` ${version}`)
})

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
