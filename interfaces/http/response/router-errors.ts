import { NotFoundError, ParseError, ValidationError } from 'elysia'
import { RequestRefused } from '../request/refusal.ts'
import { shapeRefusal } from '../request/schema-violation.ts'

/** The error in our own terms, where it is one of the router's. */
export function ownError(error: unknown): unknown {
  if (error instanceof ValidationError) {
    // An answer of ours that does not fit its schema is not the caller's doing.
    return error.type === 'response' ? error : shapeRefusal(schemaOf(error), error.value)
  }
  if (error instanceof NotFoundError) return new RequestRefused('endpoint_not_found')
  // The error of a body parser arrives as the cause of Elysia's own error.
  if (error instanceof ParseError) return ownError(error.cause)
  return error
}

/** Elysia keeps it with the compiled check, though not in the type. */
function schemaOf({ validator }: ValidationError): unknown {
  return Reflect.get(validator, 'schema')
}
