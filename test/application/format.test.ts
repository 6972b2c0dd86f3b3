import { expect, test } from 'bun:test'
import { formatBytes, shellWord } from '../../application/format.ts'

test.each([
  [0, '0 kB'],
  [1, '1 kB'],
  [999_999, '1000 kB'],
  [1_000_000, '1.0 MB'],
  [1_500_000_000, '1.5 GB'],
  [2_345_678_901_234, '2345.7 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

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
