import { crc32, deflateSync } from 'node:zlib'

const BACKGROUND = [0x3b, 0x4c, 0xca] as const
const MARK = [0xff, 0xff, 0xff] as const
/** The sign on a square of 32 by 32: an A without its bar. */
const OUTLINE = [
  [9, 24],
  [16, 8],
  [23, 24],
  [19, 24],
  [16, 17],
  [13, 24],
] as const
const SIDE = 32
const CORNER_RADIUS = 8
/** Each pixel is the mean of so many by so many points, so that edges are smooth. */
const POINTS = 4

/** The icon as a PNG (ISO/IEC 15948), so many pixels wide and high. */
export function icon(size: number): Uint8Array {
  const rows = Array.from({ length: size }, (_, y) => [
    // Each row says first how it is filtered: not at all.
    0,
    ...Array.from({ length: size }, (_, x) => pixel(x, y, size)).flat(),
  ])
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, size)
  header.setUint32(4, size)
  // Eight bits for each of red, green, blue and opacity.
  header.setUint8(8, 8)
  header.setUint8(9, 6)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflateSync(Uint8Array.from(rows.flat()), { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ])
}

function pixel(x: number, y: number, size: number): number[] {
  let inside = 0
  let marked = 0
  for (let point = 0; point < POINTS * POINTS; point++) {
    const px = ((x + ((point % POINTS) + 0.5) / POINTS) * SIDE) / size
    const py = ((y + (Math.floor(point / POINTS) + 0.5) / POINTS) * SIDE) / size
    if (!isInSquare(px, py)) continue
    inside++
    if (isInOutline(px, py)) marked++
  }
  const share = inside === 0 ? 0 : marked / inside
  const color = BACKGROUND.map((part, place) =>
    Math.round(part + ((MARK[place] ?? 0) - part) * share),
  )
  return [...color, Math.round((inside / POINTS ** 2) * 255)]
}

function isInSquare(x: number, y: number): boolean {
  const dx = Math.max(CORNER_RADIUS - x, x - (SIDE - CORNER_RADIUS), 0)
  const dy = Math.max(CORNER_RADIUS - y, y - (SIDE - CORNER_RADIUS), 0)
  return Math.hypot(dx, dy) <= CORNER_RADIUS
}

/** A ray to the right crosses the outline of a shape once or thrice from within, twice or never from without. */
function isInOutline(x: number, y: number): boolean {
  return OUTLINE.reduce((isInside, [x1, y1], place) => {
    const [x2, y2] = OUTLINE[(place + 1) % OUTLINE.length] ?? [x1, y1]
    const isCrossed = y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1
    return isCrossed ? !isInside : isInside
  }, false)
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
