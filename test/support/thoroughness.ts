/**
 * Whether the tests try everything that takes long: every language in every state, thousands of random runs, stress to
 * the end. `npm run test:all` and `npm run stress` ask for it; `npm test` takes as much of it as keeps every promise.
 */
export const IS_WHOLE = process.env['TESTS'] === 'whole'
