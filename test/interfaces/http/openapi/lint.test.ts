import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { ROUTES } from '../../../../interfaces/http/paths.ts'
import { DOCUMENT } from '../../../support/answers/checked-answers.ts'

/** A rule and the place in the document that breaks it. */
type Finding = `${string} ${string}`

const ROOT = join(import.meta.dir, '../../../..')
const redocly = readRules('test/openapi/redocly.yaml')
const spectral = readRules('test/openapi/.spectral.yaml')

/** The answers where no operation is, and the schema of any error. */
const UNREFERENCED =
  /^\S+ \/components\/(?:schemas\/Error|responses\/(?:Preflight|(?:EndpointNotFound|InvalidRequest)(?:Deprecated|Unlimited)?))$/

/** Of operations that have no rate limit and read no body. */
const UNREFUSING = Object.values(ROUTES)
  .filter(({ method, policy }) => method === 'GET' && policy === null)
  .map(({ path }): Finding => `operation-4xx-response /paths/~1${path.slice(1)}/get/responses`)

describe('the OpenAPI document passes the recommended rules', () => {
  test('of Redocly, but for the exceptions in redocly.yaml, which let nothing else pass', async () => {
    expect(redocly.extends).toEqual(['recommended'])
    const findings = await lintWithRedocly(DOCUMENT)
    const others = findings.filter((finding) => !UNREFERENCED.test(finding))
    expect(others).toContain('info-license /info')
    expect(['info-license /info', ...UNREFUSING]).toEqual(expect.arrayContaining(others))
    expect(redocly.rules).toEqual(switchedOff(findings))
  })

  test('of Spectral, but for the exceptions in .spectral.yaml, which let nothing else pass', async () => {
    expect(spectral.extends).toEqual([['spectral:oas', 'recommended']])
    const findings = await lintWithSpectral(DOCUMENT)
    const others = findings.filter((finding) => !UNREFERENCED.test(finding))
    expect(others).toEqual(['info-contact /info'])
    expect(spectral.rules).toEqual(switchedOff(findings))
  })

  test('and both find what is wrong in another one', async () => {
    const broken = { openapi: '3.1.0', info: {}, paths: {} }
    expect(await lintWithRedocly(broken)).toContain('no-empty-servers /openapi')
    expect(await lintWithSpectral(broken)).toContain('oas3-api-servers /')
  })
})

/** The rules of a configuration in which the findings do not count. */
function switchedOff(findings: readonly Finding[]): Record<string, string> {
  return Object.fromEntries(findings.map((finding) => [finding.split(' ')[0], 'off']))
}

async function lintWithRedocly(document: object): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const absoluteRef = join(ROOT, 'openapi.json')
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef, config })
  return problems
    .map(({ ruleId, location: [place] }): Finding => {
      return `${ruleId} ${place?.pointer?.slice(1) ?? ''}`
    })
    .sort()
}

async function lintWithSpectral(document: object): Promise<Finding[]> {
  const linter = new Spectral()
  linter.setRuleset({ extends: [[oas, 'recommended']] } as RulesetDefinition)
  const problems = await linter.run(structuredClone(document) as Record<string, unknown>)
  return problems.map(({ code, path }): Finding => `${code} /${path.join('/')}`).sort()
}

function readRules(name: string): { readonly extends: unknown; readonly rules: object } {
  return Bun.YAML.parse(readFileSync(join(ROOT, name), 'utf8')) as ReturnType<typeof readRules>
}
