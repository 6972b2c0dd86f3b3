import { expect, test } from 'bun:test'
import { shellWord } from '../../../application/doctor/shell-word.ts'

test.each(['/var/lib/alibi/alibi.db', 'alibi.db.before-restore-20261122T105926Z', '../a_b@c,d'])(
  '%s stays as it is',
  (plain) => {
    expect(shellWord(plain)).toBe(plain)
  },
)

test.each([
  '',
  'my shop/alibi.db',
  "Anna's.db",
  '$HOME/`id`.db',
  'a;b&c|d>e<f',
  '~root',
  'a*b?[c]{d}',
  'x=y',
  String.raw`back\slash`,
  '"quoted"',
  'two\nlines',
  'übung',
])('%j comes out of a shell as it went in', (text) => {
  const { stdout } = Bun.spawnSync(['sh', '-c', `printf %s ${shellWord(text)}`])
  expect(stdout.toString()).toBe(text)
})
