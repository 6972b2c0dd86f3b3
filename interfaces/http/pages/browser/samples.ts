import { element, onClick } from './dom.ts'

const SHOWN_MS = 7000

/**
 * The excuses that anybody may read, of which one is seen. Another one comes by itself each few seconds, until the
 * reader asks for one, points at them, or has the keyboard there (WCAG 2.2.2), and never for those who want no motion.
 */
export function sampleBubble() {
  const section = element('samples', HTMLElement)
  const bubble = element('sample', HTMLElement)
  const next = element('sample-next', HTMLButtonElement)
  const texts = [...bubble.children]
  let timer: ReturnType<typeof setInterval> | undefined

  const filled = () => texts.filter(({ textContent }) => textContent !== '')

  function show(shown: Element | undefined): void {
    for (const text of texts) text.classList.toggle('current', text === shown)
  }

  function showNext(): void {
    const all = filled()
    const current = all.findIndex(({ classList }) => classList.contains('current'))
    show(all[(current + 1) % all.length])
  }

  function stop(): void {
    clearInterval(timer)
  }

  /** After a change of language there may be others, or none. */
  function refresh(): void {
    const all = filled()
    section.hidden = all.length === 0
    next.hidden = all.length < 2
    if (!all.some(({ classList }) => classList.contains('current'))) show(all[0])
  }

  refresh()
  onClick(next, () => {
    stop()
    // From now on a change is an answer, and is read out.
    bubble.setAttribute('aria-live', 'polite')
    showNext()
  })
  section.addEventListener('pointerenter', stop)
  section.addEventListener('focusin', stop)
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) {
    timer = setInterval(showNext, SHOWN_MS)
  }
  return { refresh }
}
