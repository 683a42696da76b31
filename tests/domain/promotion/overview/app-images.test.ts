import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { appFolderOf, claimsOf } from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { ObjectId, RepositoryPath } from '#src/lib/names.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const FOLDER = RepositoryPath.of('apps/payments/shop')
const COMMENT_LENGTH = 60_000

/** An application whose files are long, and say little. */
function longApplication(number: number) {
  const comment = `# ${'x'.repeat(COMMENT_LENGTH)}${number}\n`
  const metadata = 'apiVersion: acme/v1\nkind: App\nmetadata: { name: shop }\n'
  const texts = {
    'base/kustomization.yaml': 'resources: [xtenant-app.yaml]\n',
    'base/xtenant-app.yaml': `${metadata}spec: { parameters: { image: acme/shop, namespace: shop } }\n`,
    'overlays/dev/kustomization.yaml': `images: [{ name: acme/shop, newTag: 1.0.${number} }]\n`,
    'overlays/dev/patch-xtenant-app.yaml': `spec: { parameters: { ingress: { host: shop${number}.example.org } } }\n`,
  }
  const read = new Map(
    Object.entries(texts).map(([name, text]) => [
      RepositoryPath.of(`${FOLDER}/${name}`),
      `${comment}${text}`,
    ]),
  )
  const files = [...read.keys()].map((path) => ({
    path,
    blob: ObjectId.of('a'.repeat(40)),
    executable: false,
    sizeBytes: COMMENT_LENGTH,
  }))
  const claims = [...read].flatMap(([path, text]) => claimsOf(path, text))
  return { ...appFolderOf(FOLDER, files, read, pipelineOf()), claims }
}

test('an application whose images were asked for takes the memory of its values, not that of the texts around them', () => {
  Bun.gc(true)
  const before = heapStats().extraMemorySize
  const folders = Array.from({ length: 60 }, (_, index) => longApplication(index))
  for (const { images } of folders) images()
  Bun.gc(true)
  expect(heapStats().extraMemorySize - before).toBeLessThan(30 * COMMENT_LENGTH)
  for (const [index, { images, claims }] of folders.entries()) {
    expect([...images().values()]).toStrictEqual([{ tag: `1.0.${index}`, digest: null }])
    expect(claims).toMatchObject([{ kind: 'host', name: `shop${index}.example.org` }])
  }
})
