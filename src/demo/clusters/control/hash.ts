/** No vowels and nothing that looks like another: names do not become words. */
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

/** JSON that is the same for what is equal. */
const canonical = (value: unknown): string => JSON.stringify(value, sortMembers)

/** The label `pod-template-hash`: what is equal has the same, however its members are ordered. */
export const templateHash = (template: unknown): string =>
  Array.from(
    String(fnv(canonical(template))),
    (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length],
  ).join('')

/** The end of a pod's name. */
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
