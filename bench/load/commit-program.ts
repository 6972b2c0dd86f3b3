// How many commits a second the disk makes durable one by one: `commit-program.ts DATABASE SECONDS`.

import { Database } from 'bun:sqlite'

const ROW = 'x'.repeat(300)

const [path = '', seconds = '1'] = Bun.argv.slice(2)
const client = new Database(path)
client.run('PRAGMA journal_mode = WAL')
client.run('PRAGMA synchronous = FULL')
client.run('CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, event TEXT NOT NULL)')
const insert = client.prepare('INSERT INTO events (event) VALUES (?)')

const endsAt = performance.now() + 1000 * Number(seconds)
let commits = 0
while (performance.now() < endsAt) {
  insert.run(ROW)
  commits++
}
console.log(commits / Number(seconds))
