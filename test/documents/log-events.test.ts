import { describe, expect, test } from 'bun:test'
import { LOG_EVENTS } from '../../application/log-events.ts'
import { blocksOf, documents, named, readFile, rowsOf } from '../support/documents.ts'

const PAGE = named('docs/log-events.md')
const SUBJECTS = new Set(Object.keys(LOG_EVENTS).map((event) => event.split('.')[0]))
/** A key of the log, where its subject is one: also in quotes, in backticks and in an alert's text. */
const KEY = new RegExp(`(?<![\\w./-])(?:${[...SUBJECTS].join('|')})\\.[a-z_]+\\b(?![./(-])`, 'g')

describe('the page on log events', () => {
  const rows = rowsOf(PAGE).filter(([event = '']) => /^`\w+\./.test(event))

  test('lists every event with its level and its sentence, and no other', () => {
    const listed = rows.map(([event = '', level, message]) => [
      event.replaceAll('`', ''),
      { level, message },
    ])
    expect(listed).toHaveLength(Object.keys(LOG_EVENTS).length)
    expect(Object.fromEntries(listed)).toEqual(LOG_EVENTS)
  })

  test('says of every event what it means', () => {
    const silent = rows.filter(([, , , meaning = '']) => meaning.length < 20)
    expect(silent).toEqual([])
  })

  test('shows how to find the lines of an event, also among lines that are no JSON', async () => {
    const [{ code = '' } = {}] = blocksOf(PAGE)
    const [, filter = ''] = /jq -cR '(.+)'/.exec(code) ?? []
    expect(filter).toMatch(/^fromjson\? \| select\(\.event == "[a-z_.]+"\)$/)
  })
})

test('what is written for operators names no event that the log lacks', async () => {
  const files = ['operations/prometheus-alerts.yml', 'operations/grafana-dashboard.json']
  const texts = await Promise.all(files.map(readFile))
  const named = [...documents.map(({ text }) => text), ...texts].flatMap((text) =>
    Array.from(text.matchAll(KEY), ([event]) => event),
  )
  expect(named).toContain('readiness.lost')
  expect(named.filter((event) => !Object.hasOwn(LOG_EVENTS, event))).toEqual([])
})
