import { LRUCache } from 'lru-cache'

const ONE = () => 1

/**
 * A map of at most `max` entries, of which the least recently used goes first. It grows as it fills: `max` of the library takes the
 * memory of all entries at once, half a megabyte for 20,000.
 */
export const createLru = <Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> =>
  new LRUCache({ maxSize: max, sizeCalculation: ONE })
