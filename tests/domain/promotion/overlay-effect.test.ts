import { expect, test } from 'bun:test'
import { imageFault, patchFault } from '#src/lib/domain/promotion/overlay/effect.ts'
import { RepositoryPath } from '#src/lib/names.ts'

const FOLDER = 'apps/payments/shop/overlays/dev'
const TIMES = 5_000

/** Reading the two files once for each name takes more than a minute. */
test('a file that a kustomization names thousands of times is read once', () => {
  const overlay = {
    base: { apiVersion: 'acme/v1', kind: 'XTenantApp' },
    folder: FOLDER,
    kustomization: `configurations: [${'c.yaml,'.repeat(TIMES)}]\npatches: [${'{path: d.yaml},'.repeat(TIMES)}]\n`,
    texts: new Map([
      [RepositoryPath.of(`${FOLDER}/c.yaml`), `images:\n${'- path: a\n'.repeat(6_000)}`],
      [RepositoryPath.of(`${FOLDER}/d.yaml`), '- path: /a\n'.repeat(5_000)],
    ]),
  }
  expect(imageFault(overlay)).toContain('do not reach')
  expect(patchFault(overlay, [['replicas']])).toBeUndefined()
})

/** Everybody waits while they are parsed. */
test.each([
  [2, 'a later patch in it sets spec.parameters.replicas too'],
  [5, undefined],
])('of %i long files before it, a patch is found: %p', (count, fault) => {
  const long = Array.from({ length: count }, (_, index) => `# ${index}${'x'.repeat(60_000)}\n`)
  const names = [...long.keys(), 'last'].map((name) => `${name}.yaml`)
  const contents = [...long, '- path: /spec/parameters/replicas\n']
  const overlay = {
    base: { apiVersion: 'acme/v1', kind: 'XTenantApp' },
    folder: FOLDER,
    kustomization: `patches: [${names.map((name) => `{path: ${name}}`).join(', ')}]\n`,
    texts: new Map(
      names.map((name, index) => [RepositoryPath.of(`${FOLDER}/${name}`), contents[index] ?? '']),
    ),
  }
  expect(patchFault(overlay, [['replicas']])).toBe(fault)
})

/** As one text, each of these lists takes a minute and gigabytes. */
test('a list of lists of lists in the place of a name names no file', () => {
  const lists = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(9)}]\n`,
  )
  const overlay = {
    base: { apiVersion: 'acme/v1', kind: 'XTenantApp' },
    folder: FOLDER,
    kustomization: `a0: &a0 x\n${lists.join('')}configurations: [*a9]\npatches: [{path: *a9}]\n`,
    texts: new Map(),
  }
  expect(imageFault(overlay)).toContain('do not reach')
  expect(patchFault(overlay, [['replicas']])).toBeUndefined()
})
