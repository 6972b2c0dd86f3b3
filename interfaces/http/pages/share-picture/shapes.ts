/** How far a point is from the edge of a shape, in pixels: negative inside. */
export type Shape = (x: number, y: number) => number

type Point = readonly [x: number, y: number]

export function roundedBox([left, top]: Point, [right, bottom]: Point, radius: number): Shape {
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2]
  const [halfX, halfY] = [(right - left) / 2 - radius, (bottom - top) / 2 - radius]
  return (x, y) => {
    const outX = Math.abs(x - middleX) - halfX
    const outY = Math.abs(y - middleY) - halfY
    const inside = Math.min(Math.max(outX, outY), 0)
    return length(Math.max(outX, 0), Math.max(outY, 0)) + inside - radius
  }
}

export function disc([middleX, middleY]: Point, radius: number): Shape {
  return (x, y) => length(x - middleX, y - middleY) - radius
}

export function ring(middle: Point, radius: number, thickness: number): Shape {
  const line = disc(middle, radius)
  return (x, y) => Math.abs(line(x, y)) - thickness / 2
}

/** The corners one after the other, all the way round. */
export function polygon(corners: readonly Point[]): Shape {
  const edges = corners.map((to, index) => ({ from: corners.at(index - 1) ?? to, to }))
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY
    let isInside = false
    for (const { from, to } of edges) {
      nearest = Math.min(nearest, distanceToEdge([x, y], from, to))
      const crosses = from[1] > y !== to[1] > y
      const crossing = from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0])
      if (crosses && x < crossing) isInside = !isInside
    }
    return isInside ? -nearest : nearest
  }
}

export function together(...shapes: readonly Shape[]): Shape {
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY
    for (const shape of shapes) nearest = Math.min(nearest, shape(x, y))
    return nearest
  }
}

function distanceToEdge([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const [alongX, alongY] = [toX - fromX, toY - fromY]
  const share = ((x - fromX) * alongX + (y - fromY) * alongY) / (alongX ** 2 + alongY ** 2)
  const nearest = Math.min(Math.max(share, 0), 1)
  return length(x - fromX - nearest * alongX, y - fromY - nearest * alongY)
}

/** Unlike that of Math.hypot, the result is the same to the last bit on every machine. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}
