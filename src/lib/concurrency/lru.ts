import { LRUCache } from 'lru-cache'

/** Small things, of which all together take some megabytes. */
export const ENTRIES_MAX = 10_000

const ONE = () => 1

/**
 * A map of at most `max` entries, of which the least recently used goes first. It grows as it fills: `max` of the library takes the
 * memory of all entries at once, half a megabyte for 20,000.
 */
export const createLru = <Key extends {}, Value extends {}>(
  max = ENTRIES_MAX,
): LRUCache<Key, Value> => new LRUCache({ maxSize: max, sizeCalculation: ONE })
