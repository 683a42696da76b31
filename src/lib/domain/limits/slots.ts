import { keyOf, type Person } from './person-key.ts'

export interface SlotsOptions {
  readonly perPersonMax: number
  /** Limit for everybody together. */
  readonly max: number
}

/** Slots of this process for what is held open, such as streams: so many for each person, and for everybody. */
export interface Slots {
  hasRoom(person: Person): boolean
  /** Returns the release of the slot, harmless when repeated; `undefined` when no slot is free. */
  take(person: Person): (() => void) | undefined
}

export function createSlots({ perPersonMax, max }: SlotsOptions): Slots {
  /** Number of taken slots. */
  const held = new Map<string, number>()
  let total = 0
  const hasRoomFor = (key: string) => (held.get(key) ?? 0) < perPersonMax && total < max

  return {
    hasRoom: (person) => hasRoomFor(keyOf(person)),
    take(person) {
      const key = keyOf(person)
      if (!hasRoomFor(key)) return undefined
      held.set(key, (held.get(key) ?? 0) + 1)
      total += 1
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        total -= 1
        const left = (held.get(key) ?? 0) - 1
        if (left > 0) held.set(key, left)
        else held.delete(key)
      }
    },
  }
}
