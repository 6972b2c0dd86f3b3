/** Red, green and blue, each from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

export type Picture = {
  readonly width: number
  readonly height: number
  /** Row by row from the top, three bytes each. */
  readonly pixels: Uint8Array
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const BITS_PER_CHANNEL = 8
const TRUE_COLOUR = 2
/** Each pixel is written as its difference from the one above, which is nothing almost everywhere. */
const FILTER_UP = 2

/** A picture as a PNG file (W3C, Portable Network Graphics, third edition). The same picture makes the same bytes. */
export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  return joined([
    SIGNATURE,
    chunk('IHDR', [...uint32(width), ...uint32(height), BITS_PER_CHANNEL, TRUE_COLOUR, 0, 0, 0]),
    chunk('IDAT', zlibStream(filteredRows(width, height, pixels))),
    chunk('IEND', []),
  ])
}

function filteredRows(width: number, height: number, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const rowBytes = width * 3
  const rows = new Uint8Array(height * (rowBytes + 1))
  for (let y = 0; y < height; y++) {
    const start = y * (rowBytes + 1)
    rows[start] = FILTER_UP
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x
      rows[start + 1 + x] = (pixels[at] ?? 0) - (pixels[at - rowBytes] ?? 0)
    }
  }
  return rows
}

/** RFC 1950: a head, the deflated bytes, and a checksum of what they were. */
function zlibStream(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const head = [0x78, 0xda]
  const deflated = Bun.deflateSync(bytes, { level: 9 })
  return joined([head, deflated, uint32(Bun.hash.adler32(bytes))])
}

function chunk(type: string, data: ArrayLike<number>): Uint8Array {
  const body = joined([new TextEncoder().encode(type), data])
  return joined([uint32(data.length), body, uint32(Bun.hash.crc32(body))])
}

function uint32(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff)
}

function joined(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
