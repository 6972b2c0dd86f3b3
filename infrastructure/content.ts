import type { Content } from '../application/ports.ts'
import type { Language } from '../domain/language.ts'
import ar from './content/ar.json' with { type: 'json' }
import de from './content/de.json' with { type: 'json' }
import en from './content/en.json' with { type: 'json' }
import es from './content/es.json' with { type: 'json' }
import fr from './content/fr.json' with { type: 'json' }
import hi from './content/hi.json' with { type: 'json' }
import it from './content/it.json' with { type: 'json' }
import ja from './content/ja.json' with { type: 'json' }
import nl from './content/nl.json' with { type: 'json' }
import pl from './content/pl.json' with { type: 'json' }
import pt from './content/pt.json' with { type: 'json' }
import ru from './content/ru.json' with { type: 'json' }
import sv from './content/sv.json' with { type: 'json' }
import tr from './content/tr.json' with { type: 'json' }
import zh from './content/zh.json' with { type: 'json' }

/** Every language says what English says. */
type LanguageContent = {
  readonly strings: Readonly<Record<keyof typeof en.strings, string>>
  readonly reasons: readonly string[]
}

const CONTENT: Readonly<Record<Language, LanguageContent>> = {
  en,
  fr,
  es,
  de,
  it,
  pt,
  nl,
  pl,
  ru,
  ja,
  zh,
  ar,
  hi,
  tr,
  sv,
}

/** The excuses and translations that the executable carries. */
export function builtInContent(): Content {
  return {
    reasons: (language) => CONTENT[language].reasons,
    strings: (language) => CONTENT[language].strings,
  }
}
