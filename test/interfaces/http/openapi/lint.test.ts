import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { DOCUMENT } from '../../../support/answers/checked-answers.ts'

/** A rule and the place in the document that breaks it. */
type Finding = `${string} ${string}`

const ROOT = join(import.meta.dir, '../../../..')
const redocly = readRules('redocly.yaml')
const spectral = readRules('.spectral.yaml')

const UNREFERENCED = [
  '/components/responses/EndpointNotFound',
  '/components/responses/EndpointNotFoundDeprecated',
  '/components/responses/EndpointNotFoundUnlimited',
  '/components/responses/InvalidRequestDeprecated',
  '/components/responses/InvalidRequestUnlimited',
  '/components/responses/Preflight',
  '/components/schemas/Error',
]

describe('the OpenAPI document passes the recommended rules', () => {
  test('of Redocly, but for the exceptions in redocly.yaml, which let nothing else pass', async () => {
    expect(redocly.extends).toEqual(['recommended'])
    const findings = await lintWithRedocly(DOCUMENT)
    expect(findings).toEqual([
      'info-license /info',
      ...UNREFERENCED.map((place): Finding => `no-unused-components ${place}`),
      ...['app', 'docs', 'health', 'openapi.json', 'ready'].map(
        (path): Finding => `operation-4xx-response /paths/~1${path}/get/responses`,
      ),
    ])
    expect(redocly.rules).toEqual(switchedOff(findings))
  })

  test('of Spectral, but for the exceptions in .spectral.yaml, which let nothing else pass', async () => {
    expect(spectral.extends).toEqual([['spectral:oas', 'recommended']])
    const findings = await lintWithSpectral(DOCUMENT)
    expect(findings).toEqual([
      'info-contact /info',
      ...UNREFERENCED.map((place): Finding => `oas3-unused-component ${place}`),
    ])
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
