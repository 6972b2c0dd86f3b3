import { expect, test } from 'bun:test'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { type Person, person } from '../support/browser/person.ts'
import { givePremium } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

async function signIn(reader: Person): Promise<void> {
  await reader.openApp()
  await reader.askForCode()
  await reader.enterCode(await reader.readCode())
  await reader.sees(reader.words.premium_active)
}

test('one code signs in who has paid before, for later visits, too', () =>
  visit({ url: url(), screen: 'phone', language: 'ja' }, async (visitor) => {
    const email = 'regular@example.com'
    await givePremium(url(), email)
    const reader = person(visitor, email)
    await signIn(reader)
    await reader.openApp()
    await reader.seesStep('excuse')
    await reader.sees(reader.words.signed_in_as, { email })
    await reader.press(reader.words.generate)
    await reader.nextExcuse('')
  }))

test('signing out everywhere ends the visit on every other device', () =>
  visit({ url: url(), allowed: { statuses: [401] } }, async (phone) => {
    const email = 'traveller@example.com'
    await givePremium(url(), email)
    const onPhone = person(phone, email)
    await signIn(onPhone)
    await visit({ url: url() }, async (desktop) => {
      const onDesktop = person(desktop, email)
      await signIn(onDesktop)
      await onDesktop.press(onDesktop.words.sign_out_everywhere)
      await onDesktop.sees(onDesktop.words.signed_out_everywhere)
      await desktop.photograph('app-signed-out-everywhere')
    })
    await onPhone.press(onPhone.words.generate)
    await onPhone.sees(onPhone.words.error_session_expired)
    await onPhone.seesStep('email')
    expect(await phone.page.getByLabel(onPhone.words.email_label).inputValue()).toBe(email)
  }))

test('signing out on this device leaves the others alone, and closes every tab here', () =>
  visit({ url: url() }, async (here) => {
    const email = 'tabs@example.com'
    await givePremium(url(), email)
    const reader = person(here, email)
    await signIn(reader)
    const secondTab = await here.context.newPage()
    const inSecondTab = person({ ...here, page: secondTab }, email)
    await inSecondTab.openApp()
    await inSecondTab.seesStep('excuse')
    await visit({ url: url() }, async (elsewhere) => {
      const onDesktop = person(elsewhere, email)
      await signIn(onDesktop)
      await reader.press(reader.words.sign_out)
      await inSecondTab.seesStep('email')
      await onDesktop.press(onDesktop.words.generate)
      await onDesktop.nextExcuse('')
    })
    expect(await here.page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(email)
  }))
