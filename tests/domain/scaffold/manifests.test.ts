import { expect, test } from 'bun:test'
import { manifestFault } from '#src/lib/domain/scaffold/manifests.ts'
import { RepositoryPath } from '#src/lib/names.ts'

const base = (files: Readonly<Record<string, string>>) =>
  manifestFault(
    Object.entries(files).map(([name, text]) => ({
      kind: 'write' as const,
      path: RepositoryPath.of(`apps/payments/shop/base/${name}`),
      bytes: new TextEncoder().encode(text),
      executable: false,
    })),
  )

const OUTSIDE = 'a kustomization refers to something outside its folder'

test.each([
  ['app.yaml', undefined],
  ['./app.yaml', undefined],
  ['parts', undefined],
  ['parts/', undefined],
  ['../app.yaml', OUTSIDE],
  ['/etc/passwd', OUTSIDE],
  ['https://example.org/app.yaml', OUTSIDE],
  ['github.com/acme/other', OUTSIDE],
  ['missing.yaml', OUTSIDE],
])('a kustomization with the resource %p', (resource, fault) => {
  const kustomization = `resources: ["${resource}"]\n`
  const parts = { 'parts/kustomization.yaml': 'resources: [a.yaml]\n', 'parts/a.yaml': 'a: 1\n' }
  expect(base({ 'app.yaml': 'a: 1\n', 'kustomization.yaml': kustomization, ...parts })).toBe(fault)
})
