import { type Colour, encodePng } from './png.ts'
import { disc, polygon, ring, roundedBox, type Shape, together } from './shapes.ts'
import { SHARE_PICTURE_SIZE } from './size.ts'

/** Those of the icon, and two shades between them. */
const BLUE: Colour = [0x3b, 0x4c, 0xca]
const DEEP_BLUE: Colour = [0x2e, 0x3c, 0xa6]
const PALE_BLUE: Colour = [0xc9, 0xcf, 0xf5]
const WHITE: Colour = [0xff, 0xff, 0xff]

type Layer = { readonly shape: Shape; readonly colour: Colour }

/** What is painted, one over the other. */
const LAYERS: readonly Layer[] = [
  { shape: disc([1130, 70], 330), colour: DEEP_BLUE },
  { shape: disc([90, 640], 210), colour: DEEP_BLUE },
  // A question, which asks for an excuse …
  { shape: messageOfTheOther(), colour: PALE_BLUE },
  { shape: threeDots(), colour: BLUE },
  // … and the answer to it.
  { shape: ownMessage(), colour: WHITE },
  { shape: wordmark(), colour: BLUE },
]

/** A square of pixels, which is worked on at once where no edge is in it. Both sides of the picture are multiples. */
const TILE = 10
/** As far from its middle as its corners, and as the smooth side of an edge. */
const TILE_REACH = TILE * Math.SQRT1_2 + 1

/**
 * What is shown beside a shared link to the app page: a PNG file in base64. It has no words but the name, so that it
 * serves all languages. Imported as a macro, it is drawn when the module that calls it is translated, and the
 * executable carries the result alone.
 */
export function sharePicture(): string {
  const { width, height } = SHARE_PICTURE_SIZE
  const pixels = new Uint8Array(width * height * 3)
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      const colourAt = colours(left, top)
      for (let y = top; y < top + TILE; y++) {
        for (let x = left; x < left + TILE; x++) {
          pixels.set(colourAt(x + 0.5, y + 0.5), (y * width + x) * 3)
        }
      }
    }
  }
  return encodePng({ width, height, pixels }).toBase64()
}

/** The colours within a tile. */
function colours(left: number, top: number): (x: number, y: number) => Colour {
  const [x, y] = [left + TILE / 2, top + TILE / 2]
  let ground = BLUE
  let edged: readonly Layer[] = []
  for (const layer of LAYERS) {
    const distance = layer.shape(x, y)
    if (distance < -TILE_REACH) [ground, edged] = [layer.colour, []]
    else if (distance <= TILE_REACH) edged = [...edged, layer]
  }
  return (atX, atY) => painted(ground, edged, atX, atY)
}

function painted(ground: Colour, layers: readonly Layer[], x: number, y: number): Colour {
  return layers.reduce((below, { shape, colour }) => {
    // A pixel on the edge is covered in part, which makes the edge smooth.
    const covered = Math.min(Math.max(0.5 - shape(x, y), 0), 1)
    return covered === 0 ? below : mixed(below, colour, covered)
  }, ground)
}

function mixed(below: Colour, above: Colour, covered: number): Colour {
  const channel = (index: 0 | 1 | 2) =>
    Math.round(below[index] + (above[index] - below[index]) * covered)
  return [channel(0), channel(1), channel(2)]
}

function messageOfTheOther(): Shape {
  return together(
    roundedBox([130, 84], [430, 214], 56),
    polygon([
      [160, 180],
      [150, 262],
      [250, 205],
    ]),
  )
}

function threeDots(): Shape {
  return together(disc([216, 149], 16), disc([280, 149], 16), disc([344, 149], 16))
}

function ownMessage(): Shape {
  return together(
    roundedBox([230, 262], [1070, 530], 84),
    polygon([
      [880, 500],
      [1036, 592],
      [1024, 480],
    ]),
  )
}

/** “Alibi”: the A is that of the icon, and the other letters are as thick. */
function wordmark(): Shape {
  const [top, base] = [316, 476]
  const stem = (left: number, from: number) => roundedBox([left, from], [left + 32, base], 5)
  return together(
    iconA([386, top], (base - top) / 16),
    stem(572, top),
    stem(648, 366),
    disc([664, 334], 20),
    stem(724, top),
    ring([779, 421], 39, 32),
    // Between the round foot of the stem and the bowl.
    roundedBox([740, 460], [779, base], 0),
    stem(878, 366),
    disc([894, 334], 20),
  )
}

/** As in icon.svg, where it is 14 wide and 16 high. */
function iconA([left, top]: readonly [number, number], scale: number): Shape {
  const outline = [
    [0, 16],
    [7, 0],
    [14, 16],
    [10, 16],
    [7, 9],
    [4, 16],
  ] as const
  return polygon(outline.map(([x, y]) => [left + x * scale, top + y * scale]))
}
