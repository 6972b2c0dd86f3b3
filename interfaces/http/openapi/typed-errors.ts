import type { Elysia } from 'elysia'
import type { ErrorAnswer } from '../response/errors.ts'

/** Every error body, by its status. */
type ErrorBodies = {
  [Status in ErrorAnswer['status']]: {
    error: Extract<ErrorAnswer, { status: Status }>['error']
    message?: string
  }
}

/**
 * The app as a typed client should see it: Elysia knows nothing of what its error hook answers, and takes a 422 for
 * granted that is never sent.
 */
export type WithErrors<App> =
  App extends Elysia<
    infer Path,
    infer Own,
    infer Names,
    infer Meta,
    infer Routes,
    infer Up,
    infer In
  >
    ? Elysia<Path, Own, Names, Meta, RoutesWithErrors<Routes>, Up, In>
    : never

type RoutesWithErrors<Routes> = {
  [Step in keyof Routes]: Routes[Step] extends { response: infer Answers }
    ? Omit<Routes[Step], 'response'> & { response: Omit<Answers, 422> & ErrorBodies }
    : RoutesWithErrors<Routes[Step]>
}
