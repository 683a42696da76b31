/** Kubernetes' alphabet of generated names: no vowels, and no characters that look alike. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5

/** FNV-1a with 32 bits. */
function fnv(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  return hash >>> 0
}

const sortMembers = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** JSON with sorted members. */
const canonical = (value: unknown): string => JSON.stringify(value, sortMembers)

/** The value of the label `pod-template-hash`. The order of members does not matter. */
export const templateHash = (template: unknown): string =>
  Array.from(
    String(fnv(canonical(template))),
    (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length],
  ).join('')

/** The random-looking end of a pod's name, derived from `seed`. */
export function nameSuffix(seed: string): string {
  let rest = fnv(seed)
  return Array.from({ length: SUFFIX_LENGTH }, () => {
    const letter = ALPHABET[rest % ALPHABET.length]
    rest = Math.floor(rest / ALPHABET.length)
    return letter
  }).join('')
}

export const hex = (seed: string): string =>
  new Bun.CryptoHasher('sha256').update(seed).digest('hex')
