import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  entryAt,
  type HostTreeEntry,
  listingBelow,
  listingOf,
} from '#src/lib/adapters/hosts/hosted/objects/tree-listing.ts'
import { ObjectId, RepositoryPath } from '#src/lib/names.ts'

const id = (digit: string) => ObjectId.of(digit.repeat(40))
const file = (path: string, mode = '100644'): HostTreeEntry => ({
  path,
  mode,
  id: id('a'),
  sizeBytes: 3,
})
const folder = (path: string): HostTreeEntry => ({
  path,
  mode: '040000',
  id: id('f'),
  sizeBytes: null,
})
const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

test('a listing has files with their modes, folders, and reasons for the rest', async () => {
  const listing = await listingOf([
    folder('bin'),
    file('bin/run', '100755'),
    file('link', '120000'),
    file('module', '160000'),
    file('..'),
    file('ünïcode'),
    { ...file('sha256'), id: '0'.repeat(64) },
  ])
  expect(listing.files).toStrictEqual([
    { path: RepositoryPath.of('bin/run'), blob: id('a'), executable: true, sizeBytes: 3 },
  ])
  expect([...listing.folders]).toStrictEqual([['bin', id('f')]])
  expect([...listing.sizes]).toStrictEqual([[id('a'), 3]])
  expect(listing.skipped).toStrictEqual([
    { rawPath: 'link', reason: 'symbolic_link' },
    { rawPath: 'module', reason: 'submodule' },
    { rawPath: '..', reason: 'unsafe_path' },
    { rawPath: 'ünïcode', reason: 'unsafe_path' },
    { rawPath: 'sha256', reason: 'unsafe_path' },
  ])
})

test('paths that differ in case alone are two files', async () => {
  const { files } = await listingOf([file('a/x'), file('A/x'), file('a/X')])
  expect(paths(files)).toStrictEqual(['A/x', 'a/X', 'a/x'])
})

test('the part below a folder is that of a filter, whatever the order of the host', async () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'a-b', 'a.b', 'a0', 'B'), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(names, { maxLength: 30 }), fc.nat(), async (parts, pick) => {
      const all = [...new Set(parts.map((name) => name.join('/')))]
      const parents = new Set(
        all.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
      )
      const files = all.filter((path) => !parents.has(path))
      const listing = await listingOf([
        ...[...parents].map(folder),
        ...files.map((path) => file(path)),
      ])
      expect(paths(listing.files)).toStrictEqual(files.toSorted())
      const at = RepositoryPath.of(
        [...parents, 'absent', ...files].at(pick % (parents.size + 1)) ?? 'absent',
      )
      const below = listingBelow(listing, at)
      expect(below.tree).toBe(parents.has(at) ? id('f') : null)
      expect(paths(below.files)).toStrictEqual(
        files.filter((path) => path.startsWith(`${at}/`)).toSorted(),
      )
      for (const path of [...files, ...parents]) {
        const kind = files.includes(path) ? 'file' : 'folder'
        expect(entryAt(listing, RepositoryPath.of(path)).kind).toBe(kind)
      }
    }),
  )
})

test('what is skipped comes with its own folder', async () => {
  const listing = await listingOf([folder('a'), file('a/link', '120000'), file('ab', '120000')])
  expect(listingBelow(listing, RepositoryPath.of('a')).skipped).toStrictEqual([
    { rawPath: 'a/link', reason: 'symbolic_link' },
  ])
})
