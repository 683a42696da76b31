import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withConfig, withImage } from '#src/lib/domain/promotion/overlay/edit.ts'
import { overlayIn } from '#src/lib/domain/promotion/overlay/manifests.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { kustomize } from '#tests/support/kustomize.ts'

const BASE = {
  apiVersion: 'platform.example.org/v1alpha1',
  kind: 'XTenantApp',
  name: 'payments-shop',
  image: 'ghcr.io/acme/shop',
  namespace: 'payments',
  database: true,
  resources: {},
}
const digest = (letter: string) => `sha256:${letter.repeat(64)}`
const TAGS = ['1.0', '1.10', '0777', '12345e7', 'true', 'v2-rc.1', '2024', 'on', '_x']

/** Ways in which people write the same scalar. */
const quoted = (text: string) => fc.constantFrom(`"${text}"`, `'${text}'`)
const comment = fc.constantFrom('', ' # why', '   # {[: ]} "')
const ownLine = fc.constantFrom('', '# a line of its own\n', '\n')

interface Written {
  readonly text: string
  /** The file as a release has to leave it. */
  readonly wanted: string
}

/** A mapping of named lines in any order, one of which a release replaces or removes. */
const shuffled = (lines: readonly Written[], margin: string, dash = false) =>
  fc.shuffledSubarray([...lines], { minLength: lines.length }).map((order) => {
    const textOf = (member: 'text' | 'wanted') => {
      const kept = order.map((line) => line[member]).filter((line) => line !== '')
      return kept
        .map((line, at) => `${dash && at === 0 ? `${margin.slice(2)}- ` : margin}${line}\n`)
        .join('')
    }
    return { text: textOf('text'), wanted: textOf('wanted') }
  })

/** A kustomization by hand: `new` is what the release writes for the tag and the digest, in the same quotes. */
const kustomizations = fc
  .record({
    tag: fc.constantFrom(...TAGS),
    next: fc.constantFrom(...TAGS),
    quote: fc.constantFrom('"', "'"),
    hasDigest: fc.boolean(),
    keepsDigest: fc.boolean(),
    beside: comment,
    own: ownLine,
    isFlow: fc.boolean(),
    isIndented: fc.boolean(),
    before: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    last: fc.boolean(),
  })
  .chain((facts) => {
    const { tag, next, quote, hasDigest, keepsDigest, beside } = facts
    const line = (text: string, wanted = text): Written => ({ text, wanted })
    const lines = [
      line(`name: ghcr.io/acme/shop${beside}`),
      line(`newTag: ${quote}${tag}${quote}`, `newTag: ${quote}${next}${quote}`),
      ...(hasDigest
        ? [
            line(
              `digest: ${digest('a')}${beside}`,
              keepsDigest ? `digest: ${digest('b')}${beside}` : '',
            ),
          ]
        : []),
    ]
    const margin = facts.isIndented ? '    ' : '  '
    const flow = (member: 'text' | 'wanted') => {
      const parts = lines.map((each) => each[member].replace(beside, '')).filter(Boolean)
      return `${margin.slice(2)}- {${parts.join(', ')}}\n`
    }
    const entry = facts.isFlow
      ? fc.constant({ text: flow('text'), wanted: flow('wanted') })
      : shuffled(lines, margin, true)
    return entry.map(({ text, wanted }) => {
      const sidecar = `${margin.slice(2)}- name: ghcr.io/acme/sidecar\n${margin}newTag: "${tag}"\n`
      const whole = (item: string) => {
        const source = [
          '# by hand\n',
          'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
          'resources: [../../base]\nnameSuffix: -production\n',
          'configurations:\n- image-transformer.yaml\n',
          facts.own,
          `images:${beside}\n`,
          facts.before ? sidecar : '',
          item,
          facts.before ? '' : sidecar,
          'patches: [{path: patch-xtenant-app.yaml}] # ours\n',
        ].join('')
        return (facts.last ? source : source.trimEnd()).replaceAll('\n', facts.lineEnd)
      }
      const image = { tag: next, digest: hasDigest && keepsDigest ? digest('b') : null }
      return { text: whole(text), wanted: whole(wanted), image }
    })
  })

/** A patch by hand with the settings in any order, in lines or in braces. */
const patches = fc
  .record({
    replicas: fc.nat(9),
    next: fc.integer({ min: 10, max: 100 }),
    beside: comment,
    host: quoted('shop.acme.example'),
    isFlow: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })
  .chain((facts) => {
    const { replicas, next, beside, host, isFlow } = facts
    const line = (text: string, wanted = text): Written => ({ text, wanted })
    const www = host.replace('shop', 'www')
    const limits = isFlow
      ? line(
          'resources: {limits: {cpu: 300m, memory: 1Gi}}',
          'resources: {limits: {cpu: 700m, memory: 1Gi}}',
        )
      : line(
          `resources:\n      limits:\n        cpu: 300m${beside}\n        memory: 1Gi`,
          `resources:\n      limits:\n        cpu: 700m${beside}\n        memory: 1Gi`,
        )
    const lines = [
      line(`replicas: ${replicas}${beside}`, `replicas: ${next}${beside}`),
      isFlow
        ? line(`ingress: {host: ${host}, class: x}`, `ingress: {host: ${www}, class: x}`)
        : line(`ingress:\n      host: ${host}${beside}`, `ingress:\n      host: ${www}${beside}`),
      limits,
      line('unknown: [1, {a: b}]'),
      line(`note: |\n      replicas: 1\n\n      # no comment`),
      line('"environment": production'),
    ]
    return shuffled(lines, '    ').map(({ text, wanted }) => {
      const whole = (parameters: string) =>
        `# by hand\napiVersion: ${BASE.apiVersion}\nkind: ${BASE.kind}\nmetadata: {name: ${BASE.name}}\nspec:\n  parameters:\n${parameters}`.replaceAll(
          '\n',
          facts.lineEnd,
        )
      const config = {
        replicas: next,
        ingress: { host: 'www.acme.example' },
        resources: { limits: { cpu: '700m' } },
      }
      return { text: whole(text), wanted: whole(wanted), config }
    })
  })

const edited = (result: ReturnType<typeof withImage>): string =>
  result.ok ? result.value : `refused: ${result.error}`

describe('an overlay that somebody wrote by hand', () => {
  test('has another image in exactly the lines of the image', () => {
    fc.assert(
      fc.property(kustomizations, ({ text, wanted, image }) => {
        const result = edited(withImage(text, BASE.image, image))
        expect(result).toBe(wanted)
        expect(overlayIn(BASE, result, undefined).image).toStrictEqual(image)
        expect(edited(withImage(result, BASE.image, image))).toBe(result)
      }),
      { numRuns: 300 },
    )
  })

  test('has other settings in exactly their lines', () => {
    fc.assert(
      fc.property(patches, ({ text, wanted, config }) => {
        const result = edited(withConfig(text, BASE, config, 'shop-db'))
        expect(result).toBe(wanted)
        expect(overlayIn(BASE, undefined, result).config).toMatchObject(config)
        expect(edited(withConfig(result, BASE, config, 'shop-db'))).toBe(result)
      }),
      { numRuns: 300 },
    )
  })

  test.skipIf(kubectl === null)(
    'builds with the values of the release',
    async () => {
      const samples = fc.sample(fc.tuple(kustomizations, patches), { numRuns: 8, seed: 22 })
      const files = applicationFiles({ database: true })
      const folder = 'apps/payments/shop/overlays/prod'
      const build = async ([one, two]: (typeof samples)[number]) => {
        const built = await kustomize(
          {
            ...files,
            [`${folder}/image-transformer.yaml`]: `images:\n- {kind: ${BASE.kind}, path: spec/parameters/image}\n`,
            [`${folder}/kustomization.yaml`]: edited(withImage(one.text, BASE.image, one.image)),
            [`${folder}/patch-xtenant-app.yaml`]: edited(
              withConfig(two.text, BASE, two.config, 'shop-db'),
            ),
          },
          folder,
        )
        const { tag, digest: pinned } = one.image
        expect(built).toMatchObject({
          metadata: { name: 'payments-shop-production' },
          spec: {
            parameters: {
              ...two.config,
              image: `${BASE.image}:${tag}${pinned === null ? '' : `@${pinned}`}`,
              unknown: [1, { a: 'b' }],
            },
          },
        })
      }
      await Promise.all(samples.map(build))
    },
    60_000,
  )
})

describe('a value that the overlay does not have yet', () => {
  // prettier-ignore
  test.each([
    ['no images',          'resources: [../../base]\n', 'resources: [../../base]\nimages:\n  - name: ghcr.io/acme/shop\n    newTag: v2\n'],
    ['a document marker at the end', 'resources: []\n---\n', 'resources: []\nimages:\n  - name: ghcr.io/acme/shop\n    newTag: v2\n---\n'],
    ['images of others',   'images:\n- name: x\n  newTag: "1"\n', 'images:\n- name: x\n  newTag: "1"\n- name: ghcr.io/acme/shop\n  newTag: v2\n'],
    ['an empty list',      'images: []\n', 'images: [{name: ghcr.io/acme/shop, newTag: v2}]\n'],
    ['only a new name',    'images:\n- name: ghcr.io/acme/shop\n  newName: mirror/shop\n', 'images:\n- name: ghcr.io/acme/shop\n  newName: mirror/shop\n  newTag: v2\n'],
  ])('of the image, with %s', (_, text, wanted) => {
    expect(edited(withImage(text, BASE.image, { tag: 'v2', digest: null }))).toBe(wanted)
  })

  const patch = (parameters: string) =>
    `kind: XTenantApp\nmetadata: {name: payments-shop}\nspec:\n  parameters:\n    environment: dev\n${parameters}`
  // prettier-ignore
  test.each([
    ['a database, which the base has',  { database: { tier: 'dedicated' } }, true, '    database:\n      tier: dedicated\n      name: shop-db\n'],
    ['a database, which it has not',    { database: { tier: 'shared', name: 'x' } }, false, '    database:\n      enabled: true\n      tier: shared\n      name: x\n'],
    ['resources',                       { resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } }, true, "    resources:\n      requests:\n        cpu: '1'\n      limits:\n        memory: 1Gi\n"],
    ['no replicas',                     { replicas: 0 }, true, '    replicas: 0\n'],
  ] as const)('of the patch: %s', (_, config, database, wanted) => {
    expect(edited(withConfig(patch(''), { ...BASE, database }, config, 'shop-db'))).toBe(patch(wanted))
  })
})
