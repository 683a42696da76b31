/** A deterministic random source: a log line is the same whenever it is rendered. */
export interface Random {
  /** A random integer; both bounds are included. */
  readonly int: (minimum: number, maximum: number) => number
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  readonly hex: (length: number) => string
}

/** Mulberry32 by Tommy Ettinger. */
export function seededRandom(seed: string): Random {
  let state = Bun.hash.xxHash32(seed)
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00
  }
  const int = (minimum: number, maximum: number) =>
    minimum + Math.floor(next() * (maximum - minimum + 1))
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    hex: (length) => Array.from({ length }, () => int(0, 15).toString(16)).join(''),
  }
}
