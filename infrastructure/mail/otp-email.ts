import type { Strings } from '../../application/content/strings.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Language } from '../../domain/language.ts'
import { numberFormat } from '../../domain/number-format.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { type Block, type EmailContent, layOutMail, paragraph, translator } from './mail-layout.ts'

/** The words of the mail that carries a code. No link: nothing to click. */
export function otpEmail({
  code,
  language,
  validForMs,
  host,
  strings,
}: {
  code: OtpCode
  language: Language
  validForMs: number
  host: string
  strings: Strings
}): EmailContent {
  const translate = translator(strings, { code, duration: formatDuration(validForMs, language) })
  const validity = translate('mail_code_validity')
  return layOutMail({
    language,
    subject: translate('mail_code_subject'),
    preheader: `${code} · ${validity}`,
    blocks: [
      paragraph(translate('mail_code_intro')),
      codeBlock(code),
      paragraph(validity, translate('mail_code_secrecy')),
      aside(translate('mail_code_ignore')),
      domainBound(code, host),
    ],
  })
}

/** Whole minutes, rounded down so that nothing is promised that does not hold; below one minute, seconds. */
function formatDuration(milliseconds: number, language: Language): string {
  const [unit, unitMs] =
    milliseconds >= MINUTE_MS ? (['minute', MINUTE_MS] as const) : (['second', 1000] as const)
  // Latin digits, like those of the code itself.
  const format = numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.floor(milliseconds / unitMs))
}

function codeBlock(code: OtpCode): Block {
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
function domainBound(code: OtpCode, host: string): Block {
  return { text: `@${host} #${code}`, html: '' }
}
