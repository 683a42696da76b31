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
