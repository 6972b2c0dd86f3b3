import { describe, expect, test } from 'bun:test'
import { crc32, inflateSync } from 'node:zlib'
import { sharePicture } from '../../../../../interfaces/http/pages/share-picture/picture.ts'
import { encodePng } from '../../../../../interfaces/http/pages/share-picture/png.ts'
import {
  disc,
  polygon,
  ring,
  roundedBox,
  together,
} from '../../../../../interfaces/http/pages/share-picture/shapes.ts'
import { SHARE_PICTURE_SIZE } from '../../../../../interfaces/http/pages/share-picture/size.ts'
import { visitor } from '../../../../support/http/page-visitor.ts'

/** Reads a PNG file of true colour whose rows all have the filter "up"; throws for any other. */
function decode(file: Uint8Array) {
  const bytes = Buffer.from(file)
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const body = bytes.subarray(at + 4, at + 8 + length)
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.subarray(0, 4).toString('latin1'), body.subarray(4))
    at += 12 + length
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  const head = chunks.get('IHDR')!
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  expect([...head.subarray(8)]).toEqual([8, 2, 0, 0, 0])

  // Node checks the checksum of the zlib stream.
  const rows = inflateSync(chunks.get('IDAT')!)
  const row = width * 3
  expect(rows.length).toBe(height * (row + 1))
  const pixels = new Uint8Array(height * row)
  for (let y = 0; y < height; y++) {
    expect(rows[y * (row + 1)]).toBe(2)
    for (let x = 0; x < row; x++) {
      const above = y === 0 ? 0 : pixels[(y - 1) * row + x]!
      pixels[y * row + x] = above + rows[y * (row + 1) + 1 + x]!
    }
  }
  const colourAt = (x: number, y: number) =>
    `#${pixels.slice(y * row + x * 3, y * row + x * 3 + 3).toHex()}`
  return { width, height, pixels, colourAt }
}

describe('the picture beside a shared link', () => {
  const file = Uint8Array.fromBase64(sharePicture())

  test('is a PNG file of the promised size, and small', () => {
    const { width, height } = decode(file)
    expect({ width, height }).toEqual(SHARE_PICTURE_SIZE)
    expect(file.length).toBeLessThan(40_000)
  })

  test('shows the name in the colour of the icon, in a white speech bubble', () => {
    const { colourAt } = decode(file)
    expect(colourAt(600, 20)).toBe('#3b4cca')
    expect(colourAt(300, 400)).toBe('#ffffff')
    for (const letter of [405, 588, 664, 740, 894]) expect(colourAt(letter, 460)).toBe('#3b4cca')
    expect(colourAt(779, 421)).toBe('#ffffff')
  })

  test('is the same each time it is drawn, and the one that the service answers', async () => {
    expect(Uint8Array.fromBase64(sharePicture())).toEqual(file)
    const { fetched, headers } = await fetchPicture()
    expect(fetched).toEqual(file)
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]+"$/)
    const { status } = await visitor().get('/assets/share.png', {
      'if-none-match': headers.get('etag')!,
    })
    expect(status).toBe(304)
  })
})

/** As a client that takes compressed answers. */
async function fetchPicture() {
  const { app } = visitor()
  const response = await app.handle(
    new Request('http://localhost/assets/share.png', { headers: { 'accept-encoding': 'gzip' } }),
  )
  return { fetched: await response.bytes(), headers: response.headers }
}

test('a PNG file holds each pixel as it was', () => {
  const pixels = Uint8Array.of(1, 2, 3, 250, 251, 252, 9, 8, 7, 0, 0, 255)
  const decoded = decode(encodePng({ width: 2, height: 2, pixels }))
  expect(decoded.pixels).toEqual(pixels)
  expect(decoded.colourAt(1, 1)).toBe('#0000ff')
})

describe('the distance to a shape', () => {
  test.each([
    ['disc', disc([10, 10], 5), [10, 10, -5], [20, 10, 5]],
    ['ring', ring([0, 0], 10, 4), [10, 0, -2], [0, 0, 8]],
    ['rounded box', roundedBox([0, 0], [20, 10], 2), [10, 5, -5], [10, 13, 3]],
    [
      'polygon',
      polygon([
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
      ]),
      [5, 2, -2],
      [13, 14, 5],
    ],
    ['group', together(disc([0, 0], 1), disc([10, 0], 1)), [10, 0, -1], [4, 0, 3]],
  ] as const)('is negative inside a %s and positive outside', (_, shape, inside, outside) => {
    for (const [x, y, distance] of [inside, outside]) expect(shape(x, y)).toBeCloseTo(distance, 9)
  })
})
