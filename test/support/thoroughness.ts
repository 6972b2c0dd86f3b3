/**
 * Whether the tests try everything that takes long: every language in every state, thousands of random runs.
 * `npm run test:all` and continuous integration ask for it; `npm test` takes as much of it as keeps every promise.
 */
export const IS_WHOLE = process.env['TESTS'] === 'whole'

/** Whether stress goes on to the end, such as to the 500th kill. `npm run stress` asks for it. */
export const IS_WHOLE_STRESS = process.env['STRESS'] === 'whole'
