import fc from 'fast-check'
import { entityRef, readEntity } from '#src/lib/domain/catalog/entity.ts'
import type { CatalogFilter } from '#src/lib/domain/catalog/query.ts'
import type { CatalogEntity } from '#src/lib/domain/catalog/snapshot.ts'
import { path } from '#tests/contracts/git-host.ts'
import { LIFECYCLES } from './repository.ts'

/** What an entity is made of, as far as it is looked for. */
export interface Draft {
  readonly kind?: string
  readonly title?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly type?: string
  readonly system?: string
  readonly owner?: string
  readonly lifecycle?: string
}

export function entityOf(name: string, draft: Draft = {}): CatalogEntity {
  const { kind = 'Component', title, description, tags, annotations, ...spec } = draft
  const metadata = { name, title, description, tags, annotations }
  const { entity } = readEntity({ apiVersion: 'a', kind, metadata, spec }, LIFECYCLES)
  if (entity === null) throw new Error(`not an entity: ${name}`)
  return {
    ...entity,
    references: [],
    json: '{}',
    jsonBytes: 2,
    lowerCase: {
      kind: kind.toLowerCase(),
      system: draft.system?.toLowerCase() ?? null,
      lifecycle: draft.lifecycle?.toLowerCase() ?? null,
      type: draft.type?.toLowerCase() ?? null,
    },
    ref: entityRef(kind, name),
    path: path('catalog/a.yaml'),
    line: 1,
  }
}

export const noFilter: CatalogFilter = {
  kind: [],
  system: [],
  owner: [],
  lifecycle: [],
  type: [],
  tag: [],
  ownedBy: null,
  q: '',
}

// prettier-ignore
export const shop = [
  entityOf('checkout',  { kind: 'API', title: 'Checkout', type: 'openapi', owner: 'group:acme/payments', system: 'Shop', lifecycle: 'production' }),
  entityOf('cart',      { title: 'Shopping Cart', description: 'Before the checkout', owner: 'acme/orders', system: 'shop', lifecycle: 'Production' }),
  entityOf('ledger',    { tags: ['java', 'checkout'], owner: 'payments', lifecycle: 'staging' }),
  entityOf('mailer',    { title: 'Checkout mails', annotations: { 'a/b': 'Crème (brûlée)' }, owner: 'user:payments' }),
  entityOf('search',    { owner: 'group:payments', system: 'find' }),
]

const word = fc.constantFrom('pay', 'payments', 'ments', 'API', 'Crème', 'x', 'shop', 'a-b', 'ΟΔΟΣ')
export const words = fc.array(word, { maxLength: 3 }).map((list) => list.join(' '))
const label = fc.constantFrom('pay', 'payments', 'shop', 'a-b', 'x', 'cart')
const draft: fc.Arbitrary<Draft> = fc.record(
  {
    kind: fc.constantFrom('API', 'api', 'Component'),
    title: words,
    description: words,
    tags: fc.array(word, { maxLength: 2 }),
    type: fc.constantFrom('service', 'Service', 'job'),
    system: fc.constantFrom('shop', 'Shop', 'find'),
    owner: fc.constantFrom('group:acme/pay', 'acme/pay', 'pay', 'group:pay', 'user:pay', ''),
    lifecycle: fc.constantFrom('production', 'Production', 'staging'),
  },
  { requiredKeys: [] },
)
/** Names and drafts beside the entity, for those who search naively. */
export const entities = fc.array(
  fc.tuple(label, draft).map(([name, rest]) => ({ name, rest, entity: entityOf(name, rest) })),
  { maxLength: 12 },
)
