/** What the service asks for unless a setting says otherwise, and what the event in test/stripe-events/ has paid. */
export const PRICE = { amount: 400, currency: 'eur' } as const
