// Asks again whether the payment has arrived, or can be looked up by now, and shows the new page once its state has
// changed.

import { REFRESH_WAITS_SECONDS } from '../page-data.ts'
import { element } from './dom.ts'

const answer = element('answer', HTMLElement)

async function waitForPayment(): Promise<void> {
  for (const seconds of REFRESH_WAITS_SECONDS) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    if (await isStateChange()) {
      location.reload()
      return
    }
  }
  if (answer.dataset['state'] !== 'processing') return
  element('text', HTMLElement).hidden = true
  element('later', HTMLElement).hidden = false
}

/** False without a connection, or while the service is out of reach. */
async function isStateChange(): Promise<boolean> {
  try {
    const response = await fetch(location.href, { cache: 'no-store' })
    if (!response.ok) return false
    const [, state] = /data-state="(\w+)"/.exec(await response.text()) ?? []
    return state !== undefined && state !== answer.dataset['state']
  } catch {
    return false
  }
}

waitForPayment()
