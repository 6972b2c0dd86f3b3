// Asks again whether the payment has arrived, and shows the answer in place.

// Together with the visits around them, these stay within ten requests in fifteen minutes.
const WAITS_SECONDS = [2, 4, 8, 16, 32, 60, 120]

const answer = document.getElementById('answer')

async function waitForPayment() {
  for (const seconds of WAITS_SECONDS) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    if (await showNews()) return
  }
  document.getElementById('text').hidden = true
  document.getElementById('later').hidden = false
}

/** Whether there was news. Without a connection, or while the service is out of reach, there is none. */
async function showNews() {
  try {
    const response = await fetch(location.href, { cache: 'no-store' })
    if (!response.ok) return false
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const news = page.getElementById('answer')
    if (!news || news.dataset.state === answer.dataset.state) return false

    answer.dataset.state = news.dataset.state
    answer.replaceChildren(...news.childNodes)
    document.title = page.title
    return true
  } catch {
    return false
  }
}

waitForPayment()
