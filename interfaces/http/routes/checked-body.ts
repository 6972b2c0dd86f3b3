import type { TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readJsonObject } from '../request/json-body.ts'
import { shapeRefusal } from '../request/schema-violation.ts'

/**
 * The options of a route that takes a JSON object of this shape. The body is read and checked here, because Elysia's
 * own way of refusing one turns its values into text, which an object with a `toString` of its own can make fail.
 */
export function jsonBody<Schema extends TObject>(schema: Schema) {
  // Fields beyond the schema are ignored.
  const body = { ...schema, additionalProperties: true }
  const read = async ({ request }: { request: Request }) => {
    const value = await readJsonObject(request)
    if (!Value.Check(body, value)) throw shapeRefusal(body, value)
    return value
  }
  // 'json' is never reached, and tells the OpenAPI document what is read.
  return { parse: [read, 'json' as const], body }
}
