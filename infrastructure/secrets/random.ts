const NUMBERS = 2 ** 32

/** As many bytes of chance. */
export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)).buffer)
}

/** A whole number below the bound, which is 1 to 2^32. Each is as likely as any other. */
export function randomIndex(bound: number): number {
  // No number is below such a bound, and the search for one would never end.
  if (!(bound >= 1 && bound <= NUMBERS)) throw new RangeError(`no index is below ${bound}`)
  // The numbers above the last multiple of the bound would make the first indices likelier.
  const fair = NUMBERS - (NUMBERS % bound)
  for (;;) {
    const [number = NUMBERS] = crypto.getRandomValues(new Uint32Array(1))
    if (number < fair) return number % bound
  }
}
