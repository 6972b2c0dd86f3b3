import type { LanguageContent } from '../../../../application/ports.ts'
import { SAMPLES_MAX } from '../../../../domain/excuse.ts'
import { type Html, html } from '../html.ts'
import { sampleKey, sampleWords } from '../page-words.ts'
import { translated, type Words } from '../translator.ts'

/** What anybody may read: all samples in one place, of which one is seen. Without scripts that is the first. */
export function sampleBubble(content: LanguageContent, words: Words): Html {
  const samples = sampleWords(content)
  const isEmpty = Object.keys(samples).length === 0
  return html`<section id="samples" aria-labelledby="samples-label"${isEmpty && html` hidden`}>
${translated(words, 'h2', 'samples_label', html`id="samples-label"`)}
<blockquote id="sample">
${Array.from({ length: SAMPLES_MAX }, (_, index) => sampleText(index, samples))}</blockquote>
${translated(words, 'button', 'sample_next', html`id="sample-next" type="button" class="link"`)}
</section>`
}

function sampleText(index: number, samples: Record<string, string>): Html {
  const key = sampleKey(index)
  return html`<p data-word="${key}"${index === 0 && html` class="current"`}>${samples[key] ?? ''}</p>\n`
}
