import { type Strings, tagStringKey } from '../../../../application/content/strings.ts'
import type { LanguageContent } from '../../../../application/ports.ts'
import { TAGS, type Tag, valuesInUse } from '../../../../domain/excuse.ts'
import { type Html, html } from '../html.ts'

/**
 * A row of buttons for each thing that the excuses of the content can be chosen by, and none where they do not say.
 * The browser's own radio buttons: the arrow keys move within a row.
 */
export function choiceRows({ excuses, strings }: LanguageContent): Html | null {
  const rows = TAGS.flatMap((tag) => {
    const values = valuesInUse(excuses, tag)
    return values.length > 0 ? [choiceRow(tag, values, strings)] : []
  })
  return rows.length > 0 ? html`<div id="choice">\n${rows}</div>\n` : null
}

function choiceRow(tag: Tag, values: readonly string[], strings: Strings): Html {
  return html`<fieldset class="chips"><legend data-word="${tag}_label">${strings[`${tag}_label`]}</legend>
${radio(tag, '', `${tag}_any`, strings)}
${values.map((value) => radio(tag, value, tagStringKey(tag, value), strings))}
${tag === 'tone' && shortSwitch(strings)}</fieldset>
`
}

/** An operator's own value without a string of its own is its own name. */
function radio(tag: Tag, value: string, key: string, strings: Strings): Html {
  const name = strings[key]
  const word = name === undefined ? null : html` data-word="${key}"`
  return html`<label class="chip"><input type="radio" name="${tag}" value="${value}"${value === '' && html` checked`}><span${word}>${name ?? value}</span></label>\n`
}

function shortSwitch(strings: Strings): Html {
  return html`<label class="chip"><input type="checkbox" name="length" value="short"><span data-word="length_short">${strings.length_short}</span></label>\n`
}
