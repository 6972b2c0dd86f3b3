import { describe, expect, test } from 'bun:test'
import path from 'node:path'
import { LOG_EVENTS } from '../../application/log-events.ts'

const ROOT = path.join(import.meta.dir, '../..')
const LIST = 'application/log-events.ts'

describe('the list of log events', () => {
  test('has keys of a subject and what happened to it', () => {
    const odd = Object.keys(LOG_EVENTS).filter((event) => !/^[a-z]+\.[a-z]+(_[a-z]+)*$/.test(event))
    expect(odd).toEqual([])
  })

  test('has no event that the product never logs', async () => {
    const sources = new Bun.Glob('{application,infrastructure,interfaces}/**/*.ts')
    const files = await Array.fromAsync(sources.scan({ cwd: ROOT }))
    const texts = await Promise.all(
      files.filter((file) => file !== LIST).map((file) => Bun.file(path.join(ROOT, file)).text()),
    )
    const product = texts.join('\n')
    const unused = Object.keys(LOG_EVENTS).filter((event) => !product.includes(`'${event}'`))
    expect(unused).toEqual([])
  })
})
