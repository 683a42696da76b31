/** Chances of one line: the same whenever the line is asked for. */
export interface Chances {
  /** Integers from `least` to `most`, both included. */
  readonly int: (least: number, most: number) => number
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  readonly hex: (length: number) => string
}

/** Mulberry32 (Tommy Ettinger), which is good enough for make-believe. */
export function chancesOf(seed: number): Chances {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_00_00_00_00
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    hex: (length) => Array.from({ length }, () => int(0, 15).toString(16)).join(''),
  }
}

/** A number for a text, as a seed. */
export const seedOf = (text: string): number => Bun.hash.xxHash32(text)
