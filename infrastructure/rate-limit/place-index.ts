/** Who has a place: a number for the kind of the subject, and its bits, as two numbers of 32 bits each. */
export type PlaceKey = { readonly kind: number; readonly high: number; readonly low: number }

/** Finds places by their keys, in constant time. Places have the numbers 1 to `placesMax`. */
type PlaceIndex = {
  readonly size: () => number
  /** 0 where the key has no place. */
  readonly find: (key: PlaceKey) => number
  /** A place for a key that has none. The caller has made sure that one is free. */
  readonly add: (key: PlaceKey) => number
  /** Frees a place. */
  readonly remove: (place: number) => void
}

const PLACES_AT_FIRST = 256
/** Half of the slots stay empty at least, so that a search ends after a few. */
const SLOTS_PER_PLACE = 2

/** Takes 17 bytes a place, and grows by doubling. With seeds that nobody knows, nobody can aim at a slot. */
export function placeIndex(
  placesMax: number,
  [firstSeed, secondSeed]: readonly [number, number],
): PlaceIndex {
  let places = allocate(Math.min(PLACES_AT_FIRST, placesMax))
  let size = 0
  /** The last place that was ever taken. All behind it are free. */
  let lastUsed = 0
  /** The first of the places that were freed. Each names the next one in its `high`. */
  let freed = 0

  function slotOf({ kind, high, low }: PlaceKey): number {
    const hash = scatter(scatter(scatter(firstSeed ^ kind) ^ high) ^ low ^ secondSeed)
    return (hash >>> 0) % places.slots.length
  }

  function slotOfPlace(place: number): number {
    return slotOf({
      kind: places.kind[place] ?? 0,
      high: places.high[place] ?? 0,
      low: places.low[place] ?? 0,
    })
  }

  function following(slot: number): number {
    return slot + 1 === places.slots.length ? 0 : slot + 1
  }

  /** The place in the slot; 0 for none. */
  function inSlot(slot: number): number {
    return places.slots[slot] ?? 0
  }

  function isOf(place: number, { kind, high, low }: PlaceKey): boolean {
    return places.low[place] === low && places.high[place] === high && places.kind[place] === kind
  }

  function putIntoSlot(place: number): void {
    let slot = slotOfPlace(place)
    while (inSlot(slot) !== 0) slot = following(slot)
    places.slots[slot] = place
  }

  function grow(): void {
    const old = places
    places = allocate(Math.min(2 * capacityOf(old), placesMax))
    places.kind.set(old.kind)
    places.high.set(old.high)
    places.low.set(old.low)
    for (const place of old.slots) if (place !== 0) putIntoSlot(place)
  }

  function takeFree(): number {
    if (freed === 0) {
      if (lastUsed === capacityOf(places)) grow()
      return ++lastUsed
    }
    const place = freed
    freed = places.high[place] ?? 0
    return place
  }

  /** Moves up what stands behind an emptied slot, so that no search stops before it (Knuth, 6.4, algorithm R). */
  function closeGap(emptied: number): void {
    const { length } = places.slots
    let gap = emptied
    for (let slot = following(gap); inSlot(slot) !== 0; slot = following(slot)) {
      const wanted = slotOfPlace(inSlot(slot))
      const isBeyondGap = (slot - wanted + length) % length < (slot - gap + length) % length
      if (isBeyondGap) continue
      places.slots[gap] = inSlot(slot)
      gap = slot
    }
    places.slots[gap] = 0
  }

  return {
    size: () => size,
    find(key) {
      let slot = slotOf(key)
      while (inSlot(slot) !== 0 && !isOf(inSlot(slot), key)) slot = following(slot)
      return inSlot(slot)
    },
    add({ kind, high, low }) {
      const place = takeFree()
      places.kind[place] = kind
      places.high[place] = high
      places.low[place] = low
      putIntoSlot(place)
      size++
      return place
    },
    remove(place) {
      let slot = slotOfPlace(place)
      while (inSlot(slot) !== place) slot = following(slot)
      closeGap(slot)
      places.high[place] = freed
      freed = place
      size--
    },
  }
}

type Places = ReturnType<typeof allocate>

function allocate(capacity: number) {
  return {
    kind: new Uint8Array(capacity + 1),
    high: new Uint32Array(capacity + 1),
    low: new Uint32Array(capacity + 1),
    slots: new Uint32Array(SLOTS_PER_PLACE * capacity),
  }
}

function capacityOf({ kind }: Places): number {
  return kind.length - 1
}

/** The last step of MurmurHash3, which lets every bit change every other (https://github.com/aappleby/smhasher). */
function scatter(bits: number): number {
  let mixed = bits
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
