import { Ajv2020 } from 'ajv/dist/2020.js'
import { findEmail } from '../../../domain/email.ts'

/** The parts of an OpenAPI document that the check reads; the rest is for people. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, Response>>
  }
}
export type Operation = {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}
export type Response = {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, MediaType>>
}
type MediaType = {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: object }>>
}
type Header = { readonly $ref?: string; readonly required?: boolean; readonly schema: object }

export type GivenAnswer = {
  readonly method: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** What is wrong with an answer; empty when it is as described. */
export type ResponseCheck = (answer: GivenAnswer) => string[]

/** What is wrong with a value, or null. */
type Fits = (value: unknown) => string | null

/** The protocol sets these, not the description. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'transfer-encoding',
])

/** So many texts that are known to fit are kept for each header and body: most answers are alike. */
const KNOWN_MAX = 1000

/** Makes the checks of one document's responses. */
export function answerCheck(document: Document) {
  const compile = schemaCheck(document)

  function headerCheck([name, header]: [string, Header]): HeaderCheck {
    const { required = false, schema } = resolve(document, header)
    const isNumber = 'type' in schema && schema.type === 'integer'
    const fits = compile(schema)
    return {
      name: name.toLowerCase(),
      required,
      fits: remembering((text) => fits(isNumber ? Number(text) : text)),
    }
  }

  return function responseCheck(described: Response): ResponseCheck {
    const { headers = {}, content = {} } = resolve(document, described)
    const checks = new Map(
      Object.entries(headers)
        .map(headerCheck)
        .map((check) => [check.name, check]),
    )
    const bodies = new Map(
      Object.entries(content).map(([mediaType, { schema }]) => [
        mediaType,
        bodyCheck(mediaType, compile(schema)),
      ]),
    )
    return (answer) => [...headerProblems(answer.headers, checks), ...bodyProblems(answer, bodies)]
  }
}

/** Makes the checks of one document's schemas. An object must have the fields that are named, and no others. */
export function schemaCheck(document: Document): (schema: object) => Fits {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
  ajv.addKeyword('components')
  ajv.addFormat('email', (text) => findEmail(text) === text)
  ajv.addFormat('uri', (text) => URL.canParse(text))
  ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const schemas = closed(document.components.schemas)
  return (schema) => {
    const validate = ajv.compile({ ...closed(schema), components: { schemas } })
    return (value) =>
      validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: '' }).trim()
  }
}

type HeaderCheck = { readonly name: string; readonly required: boolean; readonly fits: Fits }

function headerProblems(headers: Headers, checks: ReadonlyMap<string, HeaderCheck>): string[] {
  const problems: string[] = []
  for (const [name, value] of headers) {
    if (TRANSPORT_HEADERS.has(name)) continue
    const check = checks.get(name)
    const problem = check ? check.fits(value) : 'is not described'
    if (problem !== null) problems.push(`header ${name} (${value}) ${problem}`)
  }
  for (const { name, required } of checks.values()) {
    if (required && !headers.has(name)) problems.push(`header ${name} is missing`)
  }
  return problems
}

function bodyProblems(
  { method, headers, text }: GivenAnswer,
  bodies: ReadonlyMap<string, Fits>,
): string[] {
  if (bodies.size === 0) return text === '' ? [] : ['has a body that is not described']
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';')
  const fits = bodies.get(mediaType.trim())
  if (!fits) return [`media type ${mediaType || '(none)'} is not described`]
  if (method === 'HEAD') return text === '' ? [] : ['has a body']
  const problem = fits(text)
  return problem === null ? [] : [`body ${problem}`]
}

function bodyCheck(mediaType: string, fits: Fits): Fits {
  return remembering((text) => {
    if (mediaType !== 'application/json') return fits(text)
    try {
      return fits(JSON.parse(String(text)))
    } catch {
      return 'is no JSON'
    }
  })
}

/** Asks once about texts that come again and again. */
function remembering(fits: Fits): Fits {
  const known = new Set<unknown>()
  return (text) => {
    if (known.has(text)) return null
    const problem = fits(text)
    if (problem === null && known.size < KNOWN_MAX) known.add(text)
    return problem
  }
}

/** The same schemas, but an object that names its fields has no others. */
function closed<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closed) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const isOpen = 'properties' in inner && !('additionalProperties' in inner)
  return (isOpen ? { ...inner, additionalProperties: false } : inner) as Schema
}

/** Follows a reference within the document (`#/components/headers/Name`). */
export function resolve<Part extends { readonly $ref?: string }>(
  document: Document,
  part: Part,
): Part {
  if (part.$ref === undefined) return part
  const [, , kind = '', name = ''] = part.$ref.split('/')
  return (document.components as Record<string, Record<string, unknown>>)[kind]?.[name] as Part
}
