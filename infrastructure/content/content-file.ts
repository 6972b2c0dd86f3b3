import { type DocumentNode, parse, type ValueNode } from '@humanwhocodes/momoa'
import type {
  ContentExcuse,
  ContentFile,
  ContentText,
} from '../../application/content/content-files.ts'
import { isTagWord, TAGS } from '../../domain/excuse.ts'
import type { Language } from '../../domain/language.ts'
import { excuseOf } from './raw-excuse.ts'

/** Reports why a file is unreadable, and on which line where that is known. */
export type ReportFault = (line: number | null, message: string) => void

/**
 * Reads `{"strings": {key: text}, "reasons": [text]}`, where an object may stand for a text: `{"text": text, "to": …}`.
 * Null, with every fault reported, when it is anything else.
 */
export function readContentFile(
  { file, language, json }: { file: string; language: Language; json: string },
  reportFault: ReportFault,
): ContentFile | null {
  let isValid = true
  const report: ReportFault = (line, message) => {
    isValid = false
    reportFault(line, message)
  }
  const document = parseJson(json, report)
  if (!document) return null
  const parts = readObject(document.body, 'the file', report)
  if (!parts) return null

  for (const [name, { line }] of parts) {
    if (name === 'strings' || name === 'reasons') continue
    report(line, `"${name}" is unknown: a file has "strings", "reasons" or both`)
  }
  if (!parts.has('strings') && !parts.has('reasons')) {
    report(null, 'there is nothing in it: a file has "strings", "reasons" or both')
  }
  const strings = readStrings(parts.get('strings')?.node, report)
  const reasons = readReasons(parts.get('reasons')?.node, report)
  // A file that is half read would seem to lack the other half.
  return isValid ? { file, language, strings, reasons } : null
}

function parseJson(json: string, report: ReportFault): DocumentNode | null {
  try {
    return parse(json)
  } catch (error) {
    // Nested too deeply for a recursive parser.
    if (error instanceof RangeError) report(null, 'it is nested too deeply')
    else if (isSyntaxError(error)) report(error.line, `it is no JSON: ${error.message}`)
    else throw error
    return null
  }
}

/** Momoa's errors have no class of their own. They have an offset, and the runtime's errors have none. */
function isSyntaxError(error: unknown): error is Error & { line: number } {
  return error instanceof Error && 'offset' in error && 'line' in error
}

function readStrings(node: ValueNode | undefined, report: ReportFault): ContentFile['strings'] {
  const members = node && readObject(node, '"strings"', report)
  if (!members) return null
  const texts = [...members].flatMap(([key, member]): [string, ContentText][] => {
    const text = readText(member.node, `strings.${key}`, report)
    return text ? [[key, text]] : []
  })
  return new Map(texts)
}

function readReasons(node: ValueNode | undefined, report: ReportFault): ContentFile['reasons'] {
  if (!node) return null
  if (node.type !== 'Array') {
    report(node.loc.start.line, '"reasons" must be an array of texts')
    return null
  }
  return node.elements.flatMap(({ value }) => readExcuse(value, report) ?? [])
}

function readExcuse(node: ValueNode, report: ReportFault): ContentExcuse | null {
  if (node.type !== 'Object') {
    const text = readText(node, 'an excuse', report)
    return text && { ...excuseOf(text.text), line: text.line }
  }
  const members = readObject(node, 'an excuse', report) ?? new Map<string, Member>()
  const raw: Record<string, unknown> = {}
  for (const [name, { node: value, line }] of members) {
    if (name === 'text') continue
    if (name === 'sample') raw[name] = readSwitch(value, `"${name}"`, report)
    else if (isWordField(name)) raw[name] = readWords(value, `"${name}"`, report)
    else report(line, `"${name}" is unknown: an excuse has ${EXCUSE_FIELDS}`)
  }
  const text = members.get('text')
  if (!text) report(node.loc.start.line, 'an excuse lacks its "text"')
  const read = text && readText(text.node, '"text"', report)
  return read ? { ...excuseOf({ ...raw, text: read.text }), line: read.line } : null
}

const WORD_FIELDS = [...TAGS, 'needs'] as const
const EXCUSE_FIELDS = ['text', ...WORD_FIELDS, 'sample'].map((name) => `"${name}"`).join(', ')

function isWordField(name: string): boolean {
  return WORD_FIELDS.some((field) => field === name)
}

function readSwitch(node: ValueNode, name: string, report: ReportFault): boolean {
  if (node.type !== 'Boolean') report(node.loc.start.line, `${name} must be true or false`)
  return node.type === 'Boolean' && node.value
}

/** A word, or a list of words. */
function readWords(node: ValueNode, name: string, report: ReportFault): string[] {
  const nodes = node.type === 'Array' ? node.elements.map(({ value }) => value) : [node]
  const words = nodes.flatMap((one) => {
    if (one.type === 'String' && isTagWord(one.value)) return [one.value]
    report(one.loc.start.line, `${name} must have words of a to z and -, of up to 32 letters`)
    return []
  })
  if (new Set(words).size < words.length) report(node.loc.start.line, `${name} has a word twice`)
  return words
}

function readText(node: ValueNode, name: string, report: ReportFault): ContentText | null {
  const { line } = node.loc.start
  if (node.type === 'String') return { text: node.value, line }
  report(line, `${name} must be a text in double quotes`)
  return null
}

type Member = { readonly node: ValueNode; readonly line: number }

/** The members of an object by name; a second one of the same name, which JSON parsers drop silently, is a problem. */
function readObject(
  node: ValueNode,
  name: string,
  report: ReportFault,
): Map<string, Member> | null {
  if (node.type !== 'Object') {
    report(node.loc.start.line, `${name} must be an object: {"…": …}`)
    return null
  }
  const members = new Map<string, Member>()
  for (const member of node.members) {
    const key = member.name.type === 'String' ? member.name.value : member.name.name
    const { line } = member.loc.start
    const first = members.get(key)
    if (first) report(line, `"${key}" is there twice: also on line ${first.line}`)
    else members.set(key, { node: member.value, line })
  }
  return members
}
