import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { LANGUAGES, type Language } from '../../../domain/language.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { otpEmailWriter } from '../../../infrastructure/mail/otp-email.ts'
import { withSuffix } from '../../support/fakes.ts'

const content = builtInContent()
const CODE = '012345' as OtpCode
const HOST = 'alibi.example.com'

function mailIn(
  language: Language,
  { validForMs = 600_000, strings = content.in(language).strings } = {},
) {
  const own = { ...content, in: () => ({ ...content.in(language), strings }) }
  return otpEmailWriter({ content: own, host: HOST })({ code: CODE, language, validForMs })
}

/** What stands between the tags of the body. */
function textNodes(html: string): string[] {
  const body = html.slice(html.indexOf('<body'))
  const nodes = body.split(/<[^>]*>/).map((node) => node.trim())
  return nodes.filter((node) => node !== '')
}

test('the English mail reads as it should, word for word', () => {
  const { subject, text } = mailIn('en')
  expect(subject).toBe('012345 is your Alibi code')
  expect(text).toBe(
    [
      'Enter this code to continue:',
      '',
      '012345',
      '',
      'The code is valid for 10 minutes.',
      'Please don’t share it with anyone. Nobody at Alibi will ever ask you for it.',
      '',
      'If you didn’t ask for a code, you can ignore this email.',
      '',
      '@alibi.example.com #012345',
    ].join('\n'),
  )
})

test('the texts of both parts are the same', () => {
  const { text, html } = mailIn('en')
  const shown = textNodes(html).slice(1)
  const sent = text.split('\n').filter((line) => line !== '')
  expect(shown).toEqual(sent.slice(0, -1))
})

describe.each([...LANGUAGES])('in %s', (language) => {
  const { subject, text, html, headers } = mailIn(language)

  test('the subject starts with the code', () => {
    expect(subject).toMatch(/^012345[^\p{N}\p{Cc}]\P{Cc}+$/u)
  })

  test('the preheader repeats the code before anything else is read', () => {
    const [preheader] = textNodes(html)
    expect(preheader).toStartWith('012345')
    expect(html).toMatch(/<div style="display:none[^"]*">012345/)
  })

  test('the six digits stand together in one text node', () => {
    expect(textNodes(html)).toContain('012345')
    expect(text.split('\n')).toContain('012345')
  })

  test('it says how long the code lives and that no person will ask for it', () => {
    const strings = content.in(language).strings
    const minutes = new Intl.NumberFormat(`${language}-u-nu-latn`, {
      style: 'unit',
      unit: 'minute',
      unitDisplay: 'long',
    }).format(10)
    const validity = strings['mail_code_validity']?.replace('{duration}', minutes) ?? ''
    for (const words of [
      validity,
      strings['mail_code_secrecy'] ?? '',
      strings['mail_code_ignore'] ?? '',
    ]) {
      expect(text).toContain(words)
      expect(html).toContain(Bun.escapeHTML(words))
    }
    expect(validity).toContain('10')
  })

  test('the text part ends with the domain-bound code', () => {
    expect(text.split('\n').at(-1)).toBe('@alibi.example.com #012345')
  })

  test('there is nothing to click and nothing to load', () => {
    expect(html).not.toMatch(/<(a|img|link|script|form|iframe)\b|href|src=|url\(|https?:|www\./i)
    expect(text).not.toMatch(/https?:|www\./i)
  })

  test('no placeholder is left', () => {
    expect(subject + text + html).not.toMatch(/\{\w+\}|undefined/)
  })

  test('it is marked as sent by a machine', () => {
    expect(headers).toEqual({ 'Auto-Submitted': 'auto-generated' })
  })

  test('it says which language it is in, and in which direction that is written', () => {
    const direction = language === 'ar' ? 'rtl' : 'ltr'
    expect(html).toContain(`<html lang="${language}" dir="${direction}">`)
  })

  test('every digit is a Latin one', () => {
    expect(text.replace(/[0-9]/g, '')).not.toMatch(/\p{Nd}/u)
  })
})

describe('the life that the code still has', () => {
  test.each([
    [600_000, '10 minutes'],
    [599_999, '9 minutes'],
    [119_999, '1 minute'],
    [MINUTE_MS, '1 minute'],
    [59_999, '59 seconds'],
    [1000, '1 second'],
    [DAY_MS, '1,440 minutes'],
  ])('of %d ms is told as %s', (validForMs, words) => {
    expect(mailIn('en', { validForMs }).text).toContain(`valid for ${words}.`)
  })
})

test('words that look like HTML are shown, not obeyed', () => {
  const strings = withSuffix(content.in('en').strings, ' <b>&"\'')
  const { html, text } = mailIn('en', { strings })
  expect(html).not.toContain('<b>')
  expect(html.match(/&lt;b&gt;&amp;&quot;&#x27;/g)).toHaveLength(6)
  expect(text).toContain('<b>&"\'')
})

test('a mail is the same, whatever was written before it', () => {
  const write = otpEmailWriter({ content, host: HOST })
  const [one, other] = ['012345', '999999'] as OtpCode[]
  for (const language of [...LANGUAGES, ...LANGUAGES]) {
    for (const validForMs of [600_000, 600_000, 45_000]) {
      for (const code of [one!, other!, one!]) {
        const wanted = { code, language, validForMs }
        expect(write(wanted)).toEqual(otpEmailWriter({ content, host: HOST })(wanted))
      }
    }
  }
})
