import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { YAML } from 'bun'
import { LOG_EVENTS } from '../../application/log-events.ts'

const FOLDER = join(import.meta.dir, '../../operations')
const read = (file: string) => Bun.file(join(FOLDER, file)).text()

type Rule = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}
type Panel = {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; datasource: { uid: string } }[]
}

describe('the alert rules', async () => {
  const { groups } = YAML.parse(await read('prometheus-alerts.yml')) as {
    groups: { name: string; rules: Rule[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)

  test('each say how bad it is, what is wrong and what to do', () => {
    expect(rules.length).toBeGreaterThan(20)
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Alibi[A-Z]\w+$/)
      expect([alert, labels.severity]).toEqual([
        alert,
        expect.stringMatching(/^(?:critical|warning)$/),
      ])
      expect([alert, annotations]).toEqual([
        alert,
        {
          summary: expect.stringMatching(/.{20}\.$/),
          description: expect.stringMatching(/.{40}[.'"]$/),
        },
      ])
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('that send the operator to the log name the event to look for', () => {
    const events = Object.keys(LOG_EVENTS)
    const about = rules.filter(({ annotations }) => /\bthe log\b/i.test(annotations.description))
    expect(about.length).toBeGreaterThan(8)
    const vague = about.filter(
      ({ annotations }) => !events.some((event) => annotations.description.includes(`"${event}"`)),
    )
    expect(vague.map(({ alert }) => alert)).toEqual([])
  })

  test('are those of the scrape example, which asks the job that they expect', async () => {
    const example = YAML.parse(await read('prometheus.yml')) as {
      scrape_configs: { job_name: string }[]
      rule_files: string[]
    }
    expect(example.scrape_configs.map(({ job_name }) => job_name)).toEqual(['alibi'])
    expect(example.rule_files).toEqual(['prometheus-alerts.yml'])
    const jobs = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/job="(\w+)"/g)].map(([, job]) => job),
    )
    expect(new Set(jobs)).toEqual(new Set(['alibi']))
  })
})

describe('the dashboard', async () => {
  const { panels, schemaVersion, templating } = JSON.parse(
    await read('grafana-dashboard.json'),
  ) as {
    panels: Panel[]
    schemaVersion: number
    templating: { list: { name: string; type: string }[] }
  }
  const shown = panels.filter(({ type }) => type !== 'row')

  test('asks the data source that its reader chooses', () => {
    expect(schemaVersion).toBeGreaterThanOrEqual(39)
    expect(templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource' }),
    )
    for (const { title, targets = [] } of shown) {
      expect({ title, asked: targets.length > 0 }).toEqual({ title, asked: true })
      for (const { datasource } of targets) expect(datasource.uid).toMatch(/^\$\{datasource\}$/)
    }
  })

  test('says of every panel what it shows, and none is above another', () => {
    const taken = new Map<string, string>()
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.get(`${x},${y}`)]).toEqual([title, undefined])
          taken.set(`${x},${y}`, title)
        }
      }
    }
    for (const { title, description = '' } of shown) {
      expect([title, description]).toEqual([title, expect.stringMatching(/^[A-Z0-9"].+\.$/)])
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  test('has a row for each of the things that an operator looks after', () => {
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
    expect(rows).toEqual(['Now', 'Traffic', 'Codes', 'Money', 'Providers', 'Machine'])
  })
})
