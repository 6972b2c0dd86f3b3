import type { StringKey } from '../../application/content/strings.ts'
import type { LanguageContent, PaymentNotice } from '../../application/ports.ts'
import { samplesOf } from '../../domain/excuse.ts'
import { type Language, textDirection } from '../../domain/language.ts'
import { formatAmount } from '../../domain/money.ts'
import { type Block, type EmailContent, layOutMail, paragraph, translator } from './mail-layout.ts'

const KEYS = {
  payment_confirmed: {
    subject: 'mail_confirmed_subject',
    intro: 'mail_confirmed_intro',
    wayOn: 'mail_confirmed_access',
  },
  payment_failed: {
    subject: 'mail_failed_subject',
    intro: 'mail_failed_intro',
    wayOn: 'mail_failed_retry',
  },
} as const satisfies Record<PaymentNotice['kind'], Record<'subject' | 'intro' | 'wayOn', StringKey>>

/**
 * The words of the mail that tells how a payment ended, with one address to go to from there, and where there is one, a
 * sample of what was bought: the mail may be passed on, and says no more than anybody may read. The same notice always
 * gives the same bytes, or the provider would take it for another mail under the same key.
 */
export function paymentEmail(
  { kind, amount }: Pick<PaymentNotice, 'kind' | 'amount'>,
  { publicUrl, content }: { publicUrl: string; content: LanguageContent },
): EmailContent {
  const { language, strings, excuses } = content
  const [sample] = kind === 'payment_confirmed' ? samplesOf(excuses) : []
  const translate = translator(strings, {
    amount: isolate(formatAmount(amount, language), language),
    ...(sample === undefined ? {} : { reason: sample }),
  })
  const keys = KEYS[kind]
  return layOutMail({
    language,
    subject: translate(keys.subject),
    preheader: null,
    blocks: [
      paragraph(translate(keys.intro)),
      ...(sample === undefined ? [] : [paragraph(translate('mail_confirmed_sample'))]),
      wayOn(translate(keys.wayOn), `${publicUrl}/app`),
    ],
  })
}

/** Keeps a number and its currency together where the text around runs from right to left (UAX #9). */
function isolate(text: string, language: Language): string {
  return textDirection(language) === 'rtl' ? `\u2068${text}\u2069` : text
}

/**
 * The address has a line of its own, wherever the words put it: no full stop, letter or bidirectional mark beside it
 * can be taken for a part of it, and a paragraph of its own runs from left to right.
 */
function wayOn(words: string, url: string): Block {
  const [before = '', ...rest] = words.split('{url}').map((part) => part.trim())
  const after = rest.join(` ${url} `)
  const link = `<a href="${Bun.escapeHTML(url)}" dir="ltr">${Bun.escapeHTML(url)}</a>`
  const html = [Bun.escapeHTML(before), link, Bun.escapeHTML(after)].filter(Boolean).join('<br>')
  return { text: [before, url, after].filter(Boolean).join('\n'), html: `<p>${html}</p>` }
}
