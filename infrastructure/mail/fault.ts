import { Unavailable } from '../../application/unavailable.ts'

/**
 * Whose matter it is that a mail was not taken. What is the settings' or the recipient's is refused for good; what is
 * the provider's may pass by itself.
 */
export type Fault = 'settings' | 'recipient' | 'provider'

export function mailOutage(
  fault: Fault,
  report: { readonly cause: Error; readonly answered: boolean; readonly setting?: string },
): Unavailable {
  const [needsOperator, isForGood] = [fault === 'settings', fault === 'recipient']
  return new Unavailable('email', { ...report, needsOperator, isForGood })
}
