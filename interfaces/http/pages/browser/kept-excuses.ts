import { findLanguage } from '../../../../domain/language.ts'
import { element } from './dom.ts'
import { type Excuse, showText } from './excuse.ts'
import { type Handed, offerCopy, offerShare } from './handing-on.ts'
import { hasFields, localStore, readJson } from './storage.ts'
import type { translator } from './translator.ts'

const LATEST_MAX = 10
const FAVOURITES_MAX = 200
const DISLIKED_MAX = 1000

type Texts = Pick<ReturnType<typeof translator>, 'word'>

/** What this browser keeps of its reader's excuses: the latest, favourites, and those that are not for them. */
export function keptExcuses(texts: Texts, handed: Handed) {
  const latest = storedExcuses('latest', LATEST_MAX)
  const favourites = storedExcuses('favourites', FAVOURITES_MAX)
  const disliked = storedExcuses('disliked', DISLIKED_MAX)
  const favourite = element('favourite', HTMLButtonElement)
  const latestList = keptList('latest', { texts, handed })
  const favouriteList = keptList('favourites', {
    texts,
    handed,
    remove(excuse) {
      favourites.remove(excuse)
      showLists()
    },
  })
  let shown: Excuse | null = null

  function showLists(): void {
    latestList.show(latest.read())
    favouriteList.show(favourites.read())
    sayWord(favourite, texts, shown && favourites.has(shown) ? 'favourite_remove' : 'favourite_add')
  }

  favourite.addEventListener('click', () => {
    if (!shown) return
    if (favourites.has(shown)) favourites.remove(shown)
    else favourites.add(shown)
    showLists()
  })
  showLists()

  return {
    /** The reader has got it now. */
    add(excuse: Excuse) {
      shown = excuse
      latest.add(excuse)
      showLists()
    },
    isDisliked: disliked.has,
    dislike(excuse: Excuse) {
      disliked.add(excuse)
      favourites.remove(excuse)
      latest.remove(excuse)
      showLists()
    },
    undoDislike: disliked.remove,
    forget() {
      shown = null
      for (const excuses of [latest, favourites, disliked]) excuses.forget()
      showLists()
    },
  }
}

/** A list in the browser's storage, the latest first. What is there already is there once. */
function storedExcuses(key: string, lengthMax: number) {
  const read = (): Excuse[] => readJson(localStore, key, isListOfExcuses) ?? []
  const others = ({ reason }: Excuse) => read().filter((one) => one.reason !== reason)
  const write = (excuses: readonly Excuse[]) => localStore.write(key, JSON.stringify(excuses))
  return {
    read,
    has: ({ reason }: Excuse) => read().some((one) => one.reason === reason),
    add: ({ reason, language }: Excuse) =>
      write([{ reason, language }, ...others({ reason, language })].slice(0, lengthMax)),
    remove: (excuse: Excuse) => write(others(excuse)),
    forget: () => localStore.write(key, null),
  }
}

function isListOfExcuses(value: unknown): value is Excuse[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        hasFields(one, { reason: 'string', language: 'string' }) &&
        findLanguage(String(one.language)) === one.language,
    )
  )
}

/** A list that opens, with buttons for each of its excuses; hidden while it is empty. */
function keptList(
  id: string,
  { texts, handed, remove }: { texts: Texts; handed: Handed; remove?: (excuse: Excuse) => void },
) {
  const details = element(id, HTMLDetailsElement)
  const list = details.querySelector('ul')

  function itemOf(excuse: Excuse, index: number): HTMLElement {
    const item = document.createElement('li')
    const text = document.createElement('p')
    text.id = `${id}-${index}`
    showText(text, excuse)
    const buttons = document.createElement('div')
    buttons.className = 'actions row'
    const copy = newButton(texts, 'copy', text)
    const share = newButton(texts, 'share', text)
    offerCopy(copy, text, handed)
    offerShare(share, text, handed)
    buttons.append(copy, share)
    if (remove) {
      const button = newButton(texts, 'favourite_remove', text)
      button.addEventListener('click', () => {
        remove(excuse)
        // The button is gone, and the keyboard with it.
        details.querySelector('summary')?.focus()
      })
      buttons.append(button)
    }
    item.append(text, buttons)
    return item
  }

  return {
    show(excuses: readonly Excuse[]) {
      details.hidden = excuses.length === 0
      list?.replaceChildren(...excuses.map(itemOf))
    },
  }
}

type ButtonWord = 'copy' | 'share' | 'favourite_add' | 'favourite_remove'

/** A button about a text, which assistive technology reads out with it. */
function newButton(texts: Texts, word: ButtonWord, about: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'link'
  button.setAttribute('aria-describedby', about.id)
  sayWord(button, texts, word)
  return button
}

/** Changes with the language of the page. */
function sayWord(button: HTMLElement, texts: Texts, word: ButtonWord): void {
  button.dataset['word'] = word
  button.textContent = texts.word(word)
}
