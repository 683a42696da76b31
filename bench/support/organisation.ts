/** A made-up organisation of any size, the same for the same size: about 850 bytes of JSON per entity. */
const KINDS = [
  ['Component', 70],
  ['API', 13],
  ['Resource', 10],
  ['System', 4],
  ['Group', 2],
  ['Domain', 1],
] as const
const WORDS =
  'payment order ledger invoice shipment customer account catalog search gateway idempotency retry queue stream batch report audit fraud risk refund'.split(
    ' ',
  )
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
  return {
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
    below: (limit: number): number => Math.floor(next() ** 2 * limit),
  }
}

export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

export function generateOrganisation(size: number): readonly GeneratedFile[] {
  const random = createRandom(20_261_121)
  const kinds = KINDS.flatMap(([kind, share]) => Array<string>(share).fill(kind))
  return Array.from({ length: size }, (_, index) => {
    const kind = kinds[index % kinds.length] as string
    const words = Array.from({ length: 3 }, () => random.pick(WORDS))
    const name = `${words.slice(0, 2).join('-')}-${index}`
    const team = `team-${random.below(Math.max(10, size / 50))}`
    const sentence = Array.from({ length: 28 }, () => random.pick(WORDS)).join(' ')
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
  system: system-${random.below(Math.max(5, size / 25))}
`
    return { path: `catalog/${kind.toLowerCase()}/${team}/${name}.yaml`, text }
  })
}
