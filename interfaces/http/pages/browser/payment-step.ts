import { SECOND_MS } from '../../../../domain/duration.ts'
import { REFRESH_WAITS_SECONDS } from '../page-data.ts'
import { element } from './dom.ts'
import type { Standing } from './email-verification.ts'
import { moveTo, shownStep } from './steps.ts'
import type { translator } from './translator.ts'

/** The step of a buyer whose money is on its way, such as that of a debit, which takes days. */
export function paymentStep({
  texts,
  ask,
  goOn,
  settle,
}: {
  texts: Pick<ReturnType<typeof translator>, 'word'>
  ask: () => Promise<Standing>
  /** The money has come, or will not, or the proof of the address has ended. */
  goOn: (standing: Standing) => void
  settle: (saying: (() => string) | null) => void
}) {
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Ever more rarely, also while the service is out of reach. */
  function lookLater(looks: number): void {
    const seconds = REFRESH_WAITS_SECONDS[looks] ?? REFRESH_WAITS_SECONDS.at(-1) ?? 0
    const isLate = looks >= REFRESH_WAITS_SECONDS.length
    element('payment-soon', HTMLElement).hidden = isLate
    element('payment-later', HTMLElement).hidden = !isLate
    clearTimeout(timer)
    timer = setTimeout(() => look(looks), seconds * SECOND_MS)
  }

  async function look(looks: number): Promise<void> {
    if (shownStep() !== 'payment') return
    const standing = await ask().catch(() => null)
    if (shownStep() !== 'payment') return
    if (!standing || (standing.token === null && standing.isPaying)) {
      lookLater(looks + 1)
      return
    }
    goOn(standing)
    if (shownStep() === 'buy') settle(sayUnpaid)
  }

  function sayUnpaid(): string {
    return `${texts.word('payment_unpaid_title')}\n${texts.word('payment_unpaid_text')}`
  }

  return {
    wait(): void {
      settle(null)
      moveTo('payment')
      lookLater(0)
    },
  }
}
