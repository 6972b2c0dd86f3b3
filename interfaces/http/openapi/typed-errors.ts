import type { Elysia } from 'elysia'
import type { ANSWERS, FAULT_ANSWER, OUTAGE_ANSWERS, REQUEST_ANSWERS } from '../response/errors.ts'

type ErrorAnswer =
  | ValueOf<typeof ANSWERS>
  | ValueOf<typeof REQUEST_ANSWERS>
  | ValueOf<typeof OUTAGE_ANSWERS>
  | typeof FAULT_ANSWER

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

type ValueOf<Record> = Record[keyof Record]
