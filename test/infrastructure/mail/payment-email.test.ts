import { describe, expect, test } from 'bun:test'
import type { LanguageContent, PaymentNotice } from '../../../application/ports.ts'
import { samplesOf } from '../../../domain/excuse.ts'
import { LANGUAGES, type Language } from '../../../domain/language.ts'
import { formatAmount } from '../../../domain/money.ts'
import type { Price } from '../../../domain/order.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { paymentEmail } from '../../../infrastructure/mail/payment-email.ts'
import { excuse, withSuffix } from '../../support/fakes.ts'

const content = builtInContent()
const PUBLIC_URL = 'https://alibi.example.com'
const APP = `${PUBLIC_URL}/app`
const AMOUNT = { amount: 123_450, currency: 'eur' }
const KINDS = ['payment_confirmed', 'payment_failed'] as const

type Own = { amount?: Price; publicUrl?: string } & Partial<LanguageContent>

function mailIn(
  language: Language,
  kind: PaymentNotice['kind'],
  { amount = AMOUNT, publicUrl = PUBLIC_URL, ...own }: Own = {},
) {
  const spoken = { ...content.in(language), ...own }
  return paymentEmail({ kind, amount }, { publicUrl, content: spoken })
}

/** What stands between the tags of the body. */
function textNodes(html: string): string[] {
  const body = html.slice(html.indexOf('<body'))
  const nodes = body.split(/<[^>]*>/).map((node) => node.trim())
  return nodes.filter((node) => node !== '')
}

const wordsOf = (text: string) =>
  new Set(
    text
      .replace(APP, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [],
  )

test('the English mail about a payment that arrived reads as it should, word for word', () => {
  const { subject, text } = mailIn('en', 'payment_confirmed')
  expect(subject).toBe('Your Alibi payment is confirmed')
  expect(text).toBe(
    [
      'Thank you for buying premium access. You paid €1,234.50.',
      '',
      `Here’s one to start with: ${samplesOf(content.in('en').excuses)[0]}`,
      '',
      'To use it, sign in with the email address this message was sent to. Here is the page:',
      'https://alibi.example.com/app',
    ].join('\n'),
  )
})

test('the mail says no excuse that not anybody may read, and none where there is no such excuse', () => {
  const excuses = [excuse('For buyers alone.'), excuse('For anybody.', { isSample: true })]
  expect(mailIn('en', 'payment_confirmed', { excuses }).text).toContain('with: For anybody.')
  const text = mailIn('en', 'payment_confirmed', { excuses: [excuse('For buyers alone.')] }).text
  expect(text.split('\n')).toHaveLength(4)
  expect(text).not.toMatch(/start with|buyers/)
})

test('the English mail about a payment that failed reads as it should, word for word', () => {
  const { subject, text } = mailIn('en', 'payment_failed')
  expect(subject).toBe('Your Alibi payment didn’t go through')
  expect(text).toBe(
    [
      'Your payment of €1,234.50 didn’t go through. No money was taken.',
      '',
      'You can try again here:',
      'https://alibi.example.com/app',
    ].join('\n'),
  )
})

describe.each([...LANGUAGES])('in %s', (language) => {
  describe.each([...KINDS])('%s', (kind) => {
    const { subject, text, html, headers } = mailIn(language, kind)

    test('the subject is one line of fewer than 100 characters', () => {
      expect(subject).toMatch(/^\P{Cc}+$/u)
      expect(subject.length).toBeWithin(10, 100)
      expect(html).toContain(`<title>${Bun.escapeHTML(subject)}</title>`)
    })

    test('the texts of both parts are the same', () => {
      const lines = text.split('\n').filter((line) => line !== '')
      expect(lines.length).toBe(kind === 'payment_confirmed' ? 4 : 3)
      expect(textNodes(html)).toEqual(lines)
    })

    test('it names the amount', () => {
      expect(text).toContain(formatAmount(AMOUNT, language))
    })

    test('the one address to go to stands on a line of its own', () => {
      expect(text.split('\n').filter((line) => line.includes(':/'))).toEqual([APP])
      expect(text.split('\n')).toContain(APP)
      expect(html.match(/https?:[^"<]*/g)).toEqual([APP, APP])
      expect(html).toContain(`<a href="${APP}" dir="ltr">${APP}</a>`)
    })

    test('nothing is loaded, and nothing tells who reads it', () => {
      expect(html).not.toMatch(/<(img|link|script|form|iframe|style)\b|src=|url\(|@import/i)
      expect(html.match(/<a /g)).toHaveLength(1)
      expect(html).not.toMatch(/(?:href|src|action)="[^"]*[?&]/)
    })

    test('no placeholder is left', () => {
      expect(subject + text + html).not.toMatch(/[{}]|undefined/)
    })

    test('it is marked as sent by a machine', () => {
      expect(headers).toEqual({ 'Auto-Submitted': 'auto-generated' })
    })

    test('it says which language it is in, and in which direction that is written', () => {
      const direction = language === 'ar' ? 'rtl' : 'ltr'
      expect(html).toContain(`<html lang="${language}" dir="${direction}">`)
    })

    test('every digit is a Latin one', () => {
      expect(text).toMatch(/[0-9]/)
      expect(text.replace(/[0-9]/g, '')).not.toMatch(/\p{Nd}/u)
    })
  })

  test('the two mails share no sentence but the address', () => {
    const [confirmed, failed] = KINDS.map((kind) => mailIn(language, kind).text.split('\n'))
    expect(confirmed?.filter((line) => line !== '' && failed?.includes(line))).toEqual([APP])
  })
})

/** Words that English shares with others. */
const SHARED = ['alibi', 'premium', 'e', 'mail', 'page', 'is', 'in', 'no']

test.each(LANGUAGES.filter((language) => language !== 'en'))(
  'no English is left in %s',
  (language) => {
    for (const kind of KINDS) {
      const [english, own] = (['en', language] as const).map((one) => {
        // The sample is checked with the other excuses, and may have any word.
        const { subject, text } = mailIn(one, kind, { excuses: [excuse('…', { isSample: true })] })
        return wordsOf(`${subject} ${text}`)
      })
      expect(english?.size).toBeGreaterThan(10)
      const left = [...(own ?? [])].filter((word) => english?.has(word))
      expect(left.filter((word) => !SHARED.includes(word))).toEqual([])
    }
  },
)

const SCRIPTS: Partial<Record<Language, RegExp>> = {
  ru: /\p{sc=Cyrl}/u,
  ja: /\p{sc=Hira}/u,
  zh: /\p{sc=Hani}/u,
  ar: /\p{sc=Arab}/u,
  hi: /\p{sc=Deva}/u,
}
test.each(Object.entries(SCRIPTS))(
  'all of it but names is in the script of %s',
  (language, script) => {
    for (const kind of KINDS) {
      const { subject, text } = mailIn(language as Language, kind)
      const lines = [subject, ...text.split('\n').filter((line) => line !== '' && line !== APP)]
      expect(lines.length).toBe(kind === 'payment_confirmed' ? 4 : 3)
      for (const line of lines) expect(line).toMatch(script)
      expect(lines.join(' ').replaceAll('Alibi', '')).not.toMatch(/[a-z]/i)
    }
  },
)

describe('in Arabic', () => {
  test('the amount is kept apart from the words around it, in both parts', () => {
    for (const kind of KINDS) {
      const { text, html } = mailIn('ar', kind)
      const amount = `\u2068${formatAmount(AMOUNT, 'ar')}\u2069`
      expect(text).toContain(amount)
      expect(textNodes(html).join('\n')).toContain(amount)
    }
  })

  test('every line of words begins with an Arabic letter, which sets its direction', () => {
    for (const kind of KINDS) {
      const { subject, text } = mailIn('ar', kind)
      for (const line of [subject, ...text.split('\n')]) {
        if (line !== '' && line !== APP) expect(line).toMatch(/^\p{sc=Arab}/u)
      }
    }
  })

  test('and in no other language are there marks that steer the direction', () => {
    const others = LANGUAGES.filter((language) => language !== 'ar')
    for (const language of others) {
      for (const kind of KINDS) expect(mailIn(language, kind).text).not.toMatch(/[\u2066-\u2069]/)
    }
  })
})

test('words that stand after the address get a line of their own', () => {
  const strings = { ...content.in('en').strings, mail_failed_retry: 'Go to {url}, and try again.' }
  const { text, html } = mailIn('en', 'payment_failed', { strings })
  expect(text).toEndWith(`\n\nGo to\n${APP}\n, and try again.`)
  expect(html).toContain(
    `<p>Go to<br><a href="${APP}" dir="ltr">${APP}</a><br>, and try again.</p>`,
  )
})

test('an address that the words name twice takes nothing away from them', () => {
  const words = 'Go to {url} now. Does it not open? Try {url} again, or write to us.'
  const strings = { ...content.in('en').strings, mail_failed_retry: words }
  const { text } = mailIn('en', 'payment_failed', { strings })
  expect(text).toEndWith(
    `\n\nGo to\n${APP}\nnow. Does it not open? Try ${APP} again, or write to us.`,
  )
})

test('what looks like HTML is shown, not obeyed', () => {
  const strings = withSuffix(content.in('en').strings, ' <b>&"\'')
  const publicUrl = 'https://alibi.example.com/"><b>&\''
  for (const kind of KINDS) {
    const { html, text } = mailIn('en', kind, { strings, publicUrl })
    expect(html).not.toContain('<b>')
    // The title, two paragraphs or three, and the address as a link and as its words.
    const count = kind === 'payment_confirmed' ? 6 : 5
    expect(html.match(/&lt;b&gt;&amp;/g)).toHaveLength(count)
    expect(text).toContain('<b>&"\'')
  }
})

test('the same notice gives the same bytes', () => {
  for (const language of LANGUAGES) {
    for (const kind of KINDS) expect(mailIn(language, kind)).toEqual(mailIn(language, kind))
  }
})
