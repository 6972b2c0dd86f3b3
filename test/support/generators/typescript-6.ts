import { plugin } from 'bun'

/**
 * Loaded before openapi-ts: gives it TypeScript 6 in place of the TypeScript 7 of the project, which has no programming
 * interface that it could print code with.
 */
plugin({
  name: 'typescript 6',
  setup(build) {
    build.module('typescript', async () => ({
      exports: { default: (await import('@typescript/typescript6')).default },
      loader: 'object',
    }))
  },
})
