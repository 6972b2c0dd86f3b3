import { describe, expect, test } from 'bun:test'
import { lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  comesThrough,
  followPath,
  refuseLinksOfOthers,
} from '../../../infrastructure/rights/followed-path.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** `folder/a/b/file`, and links to parts of it. */
function open() {
  const folder = realpathSync(temporaryFolder())
  mkdirSync(join(folder, 'a', 'b'), { recursive: true })
  writeFileSync(join(folder, 'a', 'b', 'file'), '')
  const at = (...names: string[]) => join(folder, ...names)
  symlinkSync('a/b', at('relative'))
  symlinkSync(at('a'), at('absolute'))
  symlinkSync('../..', at('a', 'b', 'up'))
  symlinkSync('relative', at('link-to-link'))
  symlinkSync('nowhere/at/all', at('dangling'))
  symlinkSync('loop', at('loop'))
  return { at, step: (path: string) => ({ path, stats: lstatSync(path) }) }
}

describe('a path is followed as the kernel does:', () => {
  test.each([
    [
      ['a', 'b', 'file'],
      ['a', 'b'],
    ],
    [
      ['relative', 'file'],
      ['a', 'b'],
    ],
    [
      ['absolute', 'b', 'file'],
      ['a', 'b'],
    ],
    [
      ['link-to-link', 'file'],
      ['a', 'b'],
    ],
    [['link-to-link', 'up', 'absolute', 'x'], ['a']],
    [
      ['a', 'b', 'up', 'relative'],
      ['a', 'b'],
    ],
    [['a', 'not-yet', 'alibi.db'], ['a']],
    [['dangling'], []],
  ])('%j ends in %j', (names, folder) => {
    const { at } = open()
    expect(followPath(at(...names)).folder.path).toBe(at(...folder))
  })

  test('and a link that leads to itself is refused', () => {
    const { at } = open()
    expect(() => followPath(at('loop', 'x'))).toThrow('too many links')
  })
})

test('a path comes through each folder on its way, also one that it leaves again', () => {
  const { at, step } = open()
  const way = followPath(at('link-to-link', 'up', 'a', 'x'))
  for (const folder of ['a', 'a/b']) expect(comesThrough(way, step(at(folder)))).toBe(true)
  expect(comesThrough(followPath(at('x')), step(at('a')))).toBe(false)
})

test('a link counts as that of its owner, whatever it leads to', () => {
  const { at } = open()
  const way = followPath(at('relative', 'file'))
  const own = lstatSync(at('relative')).uid
  const others = {
    ...way,
    steps: way.steps.map(({ path, stats }) => ({
      path,
      stats: Object.assign(Object.create(stats), { uid: stats.isSymbolicLink() ? 4242 : own }),
    })),
  }
  expect(() => refuseLinksOfOthers('it', way, own)).not.toThrow()
  expect(() => refuseLinksOfOthers('it', others, 4242)).not.toThrow()
  expect(() => refuseLinksOfOthers('it', others, 4243)).toThrow('it leads through the link')
})
