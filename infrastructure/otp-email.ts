import { type Language, textDirection } from '../domain/language.ts'
import type { OtpCode } from '../domain/otp.ts'

const MINUTE_MS = 60_000

export type EmailContent = {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The words of the mail that carries a code. Its text part ends with a domain-bound code, so that browsers and phones
 * fill it in on `host` alone (https://wicg.github.io/sms-one-time-codes/).
 */
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
  strings: Readonly<Record<string, string>>
}): EmailContent {
  const duration = formatDuration(validForMs, language)
  const say = (key: string) => fill(strings[key], { code, duration })
  const words: OtpEmailWords = {
    subject: say('mail_code_subject'),
    intro: say('mail_code_intro'),
    validity: say('mail_code_validity'),
    secrecy: say('mail_code_secrecy'),
    ignore: say('mail_code_ignore'),
  }
  return {
    subject: words.subject,
    text: textPart(words, code, host),
    html: htmlPart(words, code, language),
    // RFC 3834: no out-of-office reply is wanted.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type OtpEmailWords = Readonly<
  Record<'subject' | 'intro' | 'validity' | 'secrecy' | 'ignore', string>
>

/** Whole minutes, rounded down so that nothing is promised that does not hold; below one minute, seconds. */
function formatDuration(milliseconds: number, language: Language): string {
  const [unit, unitMs] =
    milliseconds >= MINUTE_MS ? (['minute', MINUTE_MS] as const) : (['second', 1000] as const)
  // Latin digits, like those of the code itself.
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).format(Math.floor(milliseconds / unitMs))
}

function fill(template: string | undefined, values: Readonly<Record<string, string>>): string {
  if (template === undefined) throw new Error('a text of the mail is missing')
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

function textPart(words: OtpEmailWords, code: OtpCode, host: string): string {
  return [
    words.intro,
    code,
    `${words.validity}\n${words.secrecy}`,
    words.ignore,
    `@${host} #${code}`,
  ].join('\n\n')
}

/** No link and no image: nothing to click, nothing to load. Styles are inline, as mail programs want them. */
function htmlPart(words: OtpEmailWords, code: OtpCode, language: Language): string {
  const { subject, intro, validity, secrecy, ignore } = escapeAll(words)
  const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif"
  return `<!doctype html>
<html lang="${language}" dir="${textDirection(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px;font-size:16px;line-height:1.5;${font}">
<div style="display:none;max-height:0;overflow:hidden">${code} · ${validity}</div>
<div style="max-width:480px;margin:0 auto">
<p>${intro}</p>
<p dir="ltr" style="margin:24px 0;font-size:36px;font-weight:700;letter-spacing:6px;text-align:center">${code}</p>
<p>${validity}<br>${secrecy}</p>
<p style="font-size:14px;opacity:0.7">${ignore}</p>
</div>
</body>
</html>
`
}

function escapeAll(words: OtpEmailWords): OtpEmailWords {
  return {
    subject: Bun.escapeHTML(words.subject),
    intro: Bun.escapeHTML(words.intro),
    validity: Bun.escapeHTML(words.validity),
    secrecy: Bun.escapeHTML(words.secrecy),
    ignore: Bun.escapeHTML(words.ignore),
  }
}
