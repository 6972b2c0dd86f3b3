import { findEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { RequestRefused } from './refusal.ts'

/**
 * Why a value that does not fit its schema is refused. A problem with its address comes before any other problem, and
 * anything but a string is no address.
 */
export function shapeRefusal(schema: unknown, value: unknown): DomainError | RequestRefused {
  const hasEmail = propertyOf(propertyOf(schema, 'properties'), 'email') !== undefined
  return hasEmail && !findEmail(propertyOf(value, 'email'))
    ? new DomainError('invalid_email')
    : new RequestRefused('invalid_request')
}

function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
