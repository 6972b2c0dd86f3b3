import { Unavailable } from '../../application/unavailable.ts'

/**
 * Whose matter it is that a mail was not taken. What is the settings' or the recipient's is refused for good; what is
 * the provider's may pass by itself.
 */
export type Fault = 'settings' | 'recipient' | 'provider'

export function mailOutage(
  fault: Fault,
  {
    setting = 'RESEND_API_KEY',
    ...report
  }: { readonly cause: Error; readonly answered: boolean; readonly setting?: string },
): Unavailable {
  return new Unavailable('email', {
    ...report,
    isForGood: fault === 'recipient',
    setting: fault === 'settings' ? setting : null,
  })
}
