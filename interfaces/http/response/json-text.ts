const blobs = new WeakMap<object, Blob>()

/** Returns the value, which must never change from now on: `jsonText` puts it into text only once. */
export function constantJson<Value extends object>(value: Value): Value {
  // A blob is not copied for each answer, as a text or bytes would be.
  blobs.set(value, new Blob([JSON.stringify(value)]))
  return value
}

/** A value as JSON text in UTF-8, for the body of an answer. */
export function jsonText(value: unknown): string | Blob {
  const known = typeof value === 'object' && value !== null ? blobs.get(value) : undefined
  return known ?? JSON.stringify(value)
}
