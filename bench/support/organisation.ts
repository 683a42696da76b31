/**
 * A made-up organisation of any size, the same for the same size: about 850 bytes of JSON per entity. From 500 entities on, every
 * owner, system and domain is an entity.
 */
const KINDS = [
  ['Component', 70],
  ['API', 13],
  ['Resource', 10],
  ['System', 4],
  ['Group', 2],
  ['Domain', 1],
] as const
const SYLLABLES =
  'pay ment led ger ord er ship in voice cus to mer ac count cat a log search gate way queue stream batch re port au dit fraud risk fund'.split(
    ' ',
  )
const VOCABULARY = 2_000

const LIFECYCLES = [
  'experimental',
  'development',
  'staging',
  'production',
  'production',
  'deprecated',
]

/** Marsaglia's xorshift32: good enough to vary, and the same on every machine. */
function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  /** Few words often, most seldom (Zipf's law). */
  const skewed = (limit: number): number => Math.floor(limit ** next()) - 1
  return {
    next,
    skewed,
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
  }
}

type Random = ReturnType<typeof createRandom>

function createVocabulary(random: Random): readonly string[] {
  const words = new Set<string>()
  while (words.size < VOCABULARY) {
    const length = 1 + Math.floor(random.next() * 3)
    words.add(Array.from({ length }, () => random.pick(SYLLABLES)).join(''))
  }
  return [...words]
}

const teamName = (index: number): string => `team-${index}`
const systemName = (index: number): string => `system-${index}`
const domainName = (index: number): string => `domain-${index}`
/** Names by number of those kinds that others refer to. */
const NAMED: Readonly<Record<string, (nth: number) => string>> = {
  Group: teamName,
  System: systemName,
  Domain: domainName,
}

export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

export function generateOrganisation(size: number): readonly GeneratedFile[] {
  const random = createRandom(20_261_121)
  const vocabulary = createVocabulary(random)
  const word = (): string => vocabulary[random.skewed(VOCABULARY)] ?? ''
  const counts = new Map<string, number>()
  const kinds = KINDS.flatMap(([kind, share]) => Array<string>(share).fill(kind))
  return Array.from({ length: size }, (_, index) => {
    const kind = kinds[index % kinds.length] as string
    const words = [word(), word(), word()]
    const nth = counts.get(kind) ?? 0
    counts.set(kind, nth + 1)
    const name = NAMED[kind]?.(nth) ?? `${words.slice(0, 2).join('-')}-${index}`
    const team = teamName(random.skewed(Math.max(10, size / 50)))
    const sentence = Array.from({ length: 28 }, word).join(' ')
    const text = `apiVersion: portico/v1
kind: ${kind}
metadata:
  name: ${name}
  title: ${words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(' ')} ${index}
  description: >-
    ${sentence}
  annotations:
    portico/app-path: apps/${team}/${name}
    example.org/source: https://git.example.org/acme/${name}
    example.org/dashboard: https://dashboards.example.org/d/${name}
  tags: [${[...new Set(words)].join(', ')}]
  links:
    - url: https://runbooks.example.org/${team}/${name}
      title: Runbook
    - url: https://chat.example.org/channels/${team}
      title: Channel
spec:
  type: ${random.pick(['service', 'website', 'library', 'job'])}
  lifecycle: ${random.pick(LIFECYCLES)}
  owner: group:acme/${team}
  ${
    kind === 'System'
      ? `domain: ${domainName(random.skewed(Math.max(5, size / 100)))}`
      : `system: ${systemName(random.skewed(Math.max(5, size / 25)))}`
  }
`
    return { path: `catalog/${kind.toLowerCase()}/${team}/${name}.yaml`, text }
  })
}
