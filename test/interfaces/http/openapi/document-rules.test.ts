import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCodeChallenge, parseCodeVerifier } from '../../../../domain/code-challenge.ts'
import { findEmail } from '../../../../domain/email.ts'
import { DomainError } from '../../../../domain/errors.ts'
import { parseOtpCode } from '../../../../domain/otp.ts'
import { schemaCheck } from '../../../support/answers/answer-check.ts'
import { DOCUMENT } from '../../../support/answers/checked-answers.ts'

type Schema = { readonly properties: Readonly<Record<string, object>> }
type Described = {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: unknown; readonly links?: Readonly<Record<string, Link>> }>
  >
}
type Link = {
  readonly operationId: string
  readonly description: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly requestBody?: Readonly<Record<string, string>>
}

const operations = new Map(
  Object.values(DOCUMENT.paths)
    .flatMap((methods) => Object.values(methods) as unknown as Described[])
    .map((operation) => [operation.operationId, operation]),
)
const bodyOf = (operation: Described | undefined) =>
  operation?.requestBody?.content['application/json']?.schema.properties ?? {}

/** What the document says of the field wherever a request has it: everywhere the same. */
function rulesOf(field: string) {
  const all = [...operations.values()].flatMap((operation) => {
    const parameter = operation.parameters?.find(({ name }) => name === field)?.schema
    return [bodyOf(operation)[field], parameter].filter((schema) => schema !== undefined)
  })
  for (const schema of all) expect(schema).toEqual(all[0]!)
  const fits = schemaCheck(DOCUMENT)(all[0]!)
  return (value: unknown) => fits(value) === null
}

function isRead(parse: (input: string) => unknown, input: string): boolean {
  try {
    parse(input)
    return true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

const ZEROS = ['0', '٠', '०', '０', '𝟘']
const digit = fc
  .tuple(fc.constantFrom(...ZEROS), fc.nat(9))
  .map(([zero, value]) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + value))
const spacing = fc.constantFrom('', ' ', '-', '\u00a0', '–', '\t')

describe('the OpenAPI document says of', () => {
  test('code: six digits of any script with spaces and dashes fit, and words do not', () => {
    const fits = rulesOf('code')
    const typed = fc
      .array(fc.tuple(digit, spacing), { minLength: 6, maxLength: 6 })
      .map((parts) => parts.flat().join(''))
    fc.assert(fc.property(typed, (code) => isRead(parseOtpCode, code) && fits(code)))
    for (const wrong of ['12345', '12345a', 'abcdef', '123.456', '0x1234', '1'.repeat(65)]) {
      expect([wrong, fits(wrong), isRead(parseOtpCode, wrong)]).toEqual([wrong, false, false])
    }
  })

  test.each([
    ['codeChallenge', parseCodeChallenge],
    ['codeVerifier', parseCodeVerifier],
  ])('%s: exactly what is read fits', (field, parse) => {
    const fits = rulesOf(field)
    const unit = fc.constantFrom(...'AZaz09-._~', '+', '/', '=', ' ', 'é')
    const likely = fc.string({ unit, minLength: 40, maxLength: 131 })
    const right = fc.string({ unit: fc.constantFrom(...'AZaz09-_'), minLength: 43, maxLength: 43 })
    fc.assert(fc.property(fc.oneof(likely, right), (text) => fits(text) === isRead(parse, text)))
    expect(fits('a'.repeat(43))).toBe(true)
    expect(fits('a'.repeat(42))).toBe(false)
  })

  test('email: an address as it is kept fits, and what is none or too long does not', () => {
    const fits = rulesOf('email')
    for (const email of ['a@b.c', 'ada+x@xn--bcher-kva.example', `${'a'.repeat(64)}@example.com`]) {
      expect([email, findEmail(email), fits(email)]).toEqual([email, email as never, true])
    }
    const long = `a@${Array.from({ length: 5 }, () => 'b'.repeat(55)).join('.')}`
    for (const wrong of ['', 'a@b', 'ada', long]) {
      expect([wrong, findEmail(wrong), fits(wrong)]).toEqual([wrong, null, false])
    }
  })
})

describe('a link of the OpenAPI document', () => {
  const links = [...operations.values()].flatMap((operation) =>
    Object.values(operation.responses).flatMap(({ links = {} }) =>
      Object.values(links).map((link) => ({ operation, link })),
    ),
  )
  const steps = links.map(({ operation, link }) => `${operation.operationId} ${link.operationId}`)

  test('leads on at each step from an address to an excuse', () => {
    const way = ['verifyEmail', 'confirmEmail', 'startCheckout', 'issueToken', 'pickReason']
    for (const [index, next] of way.slice(1).entries()) {
      expect(steps).toContain(`${way[index]} ${next}`)
    }
  })

  test('fills only what the next operation takes, with what this one was asked or answers', () => {
    for (const { operation, link } of links) {
      const next = operations.get(link.operationId)
      expect(next).toBeDefined()
      const taken = new Set(next?.parameters?.map(({ name }) => name))
      expect([...taken]).toEqual(expect.arrayContaining(Object.keys(link.parameters ?? {})))
      const asked = Object.keys(link.requestBody ?? {})
      expect(Object.keys(bodyOf(next))).toEqual(expect.arrayContaining(asked))

      const { content } = operation.responses['200'] as {
        content: Record<string, { schema: Schema }>
      }
      const sources = {
        request: bodyOf(operation),
        response: content['application/json']?.schema.properties ?? {},
      }
      const values = { ...link.parameters, ...link.requestBody }
      for (const expression of Object.values(values)) {
        const [, source, field] = /^\$(request|response)\.body#\/(\w+)$/.exec(expression) ?? []
        expect(sources[source as keyof typeof sources]).toContainKey(field ?? '')
      }
    }
  })
})
