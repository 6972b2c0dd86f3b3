import type { Strings } from '../../application/content/strings.ts'
import type { Content, OtpMail } from '../../application/ports.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Language } from '../../domain/language.ts'
import { numberFormat } from '../../domain/number-format.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { type Block, type EmailContent, layOutMail, paragraph, translator } from './mail-layout.ts'

/** What the mail says beside the code. */
type Words = {
  readonly language: Language
  readonly validForMs: number
  readonly host: string
  readonly strings: Strings
}

/** Stands where the code belongs, in the words of a language as well. */
const CODE_PLACE = '{code}'

/**
 * Writes the mails that carry a code, in the language wanted or the default one. No link: nothing to click. Nearly all
 * mails of a language differ in nothing but the code, so the last one is kept without it.
 */
export function otpEmailWriter({
  content,
  host,
}: {
  content: Content
  host: string
}): (mail: Pick<OtpMail, 'code' | 'language' | 'validForMs'>) => EmailContent {
  const known = new Map<Language, { readonly validForMs: number; readonly mail: CutMail }>()

  function cutMailFor(wanted: Language, validForMs: number): CutMail {
    const last = known.get(wanted)
    if (last?.validForMs === validForMs) return last.mail
    const mail = cutAtCode(layOut({ ...content.in(wanted), validForMs, host }))
    known.set(wanted, { validForMs, mail })
    return mail
  }

  return ({ code, language, validForMs }) => fill(cutMailFor(language, validForMs), code)
}

/** The mail with `CODE_PLACE` for the code. */
function layOut({ language, validForMs, host, strings }: Words): EmailContent {
  const translate = translator(strings, { duration: formatDuration(validForMs, language) })
  const validity = translate('mail_code_validity')
  return layOutMail({
    language,
    subject: translate('mail_code_subject'),
    preheader: `${CODE_PLACE} · ${validity}`,
    blocks: [
      paragraph(translate('mail_code_intro')),
      codeBlock(CODE_PLACE),
      paragraph(validity, translate('mail_code_secrecy')),
      aside(translate('mail_code_ignore')),
      domainBound(CODE_PLACE, host),
    ],
  })
}

/** The parts of a mail in the pieces between which its code belongs. */
type CutMail = Pick<EmailContent, 'headers'> &
  Readonly<Record<'subject' | 'text' | 'html', readonly string[]>>

function cutAtCode({ subject, text, html, headers }: EmailContent): CutMail {
  const cut = (part: string) => part.split(CODE_PLACE)
  return { subject: cut(subject), text: cut(text), html: cut(html), headers }
}

function fill({ subject, text, html, headers }: CutMail, code: OtpCode): EmailContent {
  return { subject: subject.join(code), text: text.join(code), html: html.join(code), headers }
}

/** Whole minutes, rounded down so that nothing is promised that does not hold; below one minute, seconds. */
function formatDuration(milliseconds: number, language: Language): string {
  const [unit, unitMs] =
    milliseconds >= MINUTE_MS ? (['minute', MINUTE_MS] as const) : (['second', 1000] as const)
  // Latin digits, like those of the code itself.
  const format = numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.floor(milliseconds / unitMs))
}

function codeBlock(code: string): Block {
  const style = 'margin:24px 0;font-size:36px;font-weight:700;letter-spacing:6px;text-align:center'
  return { text: code, html: `<p dir="ltr" style="${style}">${code}</p>` }
}

function aside(words: string): Block {
  return {
    text: words,
    html: `<p style="font-size:14px;opacity:0.7">${Bun.escapeHTML(words)}</p>`,
  }
}

/** Browsers and phones fill the code in on `host` alone (https://wicg.github.io/sms-one-time-codes/). */
function domainBound(code: string, host: string): Block {
  return { text: `@${host} #${code}`, html: '' }
}
