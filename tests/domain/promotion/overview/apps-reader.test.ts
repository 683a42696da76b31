import { describe, expect, test } from 'bun:test'
import { defaultLimits } from '#src/lib/domain/catalog/admission.ts'
import {
  createAppsReader,
  groupByApplication,
} from '#src/lib/domain/promotion/overview/apps-reader.ts'
import { ObjectId, RepositoryPart, RepositoryPath } from '#src/lib/names.ts'
import type { FileListing, GitHost } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

/** By path. `damaged` stands for a blob that git cannot read. */
type Files = Readonly<Record<string, string>>

const REPOSITORY = { owner: RepositoryPart.of('acme'), name: RepositoryPart.of('gitops') }
const commitOf = (number: number) => ObjectId.of(String(number).padStart(40, '0'))
const blobOf = (text: string) =>
  ObjectId.of(new Bun.CryptoHasher('sha1').update(text).digest('hex'))

/** The commits of one repository, and the paths that were read. */
function hostOf(
  commits: readonly Files[],
  skipped: FileListing['skipped'] = [],
  memoryMaxBytes = 1e9,
  filesMax = 200_000,
) {
  const read: string[] = []
  /** Numbers of files that the listings had. */
  const lists: number[] = []
  const hooks: { beforeRead?: (paths: readonly RepositoryPath[]) => Promise<void> } = {}
  const at = (commit: ObjectId) => commits[Number(commit)] ?? {}
  const inside = (files: Files, directory = '') =>
    Object.entries(files)
      .filter(([path]) => path.startsWith(`${directory}/`))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const gitHost: Pick<GitHost, 'listFiles' | 'listChanges' | 'readFiles'> = {
    async listFiles(_, { commit, directory, filesMax }) {
      const found = inside(at(commit), directory)
      const tree = found.length > 0 ? blobOf(JSON.stringify(found)) : null
      if (filesMax === 0) return ok({ tree, files: [], skipped: [] })
      lists.push(found.length)
      const files = found.map(([path, text]) => ({
        path: RepositoryPath.of(path),
        blob: blobOf(text),
        executable: false,
        sizeBytes: text.length,
      }))
      return ok({ tree, files, skipped })
    },
    async listChanges(_, { from, to, directory }) {
      const [before, after] = [from, to].map((commit) => new Map(inside(at(commit), directory)))
      const paths = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
      return ok(
        [...paths]
          .filter((path) => before?.get(path) !== after?.get(path))
          .map((rawPath) => ({
            rawPath,
            change: !before?.has(rawPath)
              ? ('added' as const)
              : after?.has(rawPath)
                ? ('modified' as const)
                : ('removed' as const),
          })),
      )
    },
    async *readFiles(_, commit, files) {
      await hooks.beforeRead?.(files.map(({ path }) => path))
      // In any order, as the port says.
      for (const { path } of files.toReversed()) {
        const text = at(commit)[path] ?? ''
        read.push(path)
        if (text === 'damaged') yield err({ kind: 'git_file_unreadable', path })
        else yield ok({ path, blob: blobOf(text), bytes: new TextEncoder().encode(text) })
      }
    },
  }
  const limits = { filesMax, memoryMaxBytes }
  return { read, lists, hooks, reader: createAppsReader(gitHost, REPOSITORY, pipelineOf(), limits) }
}

async function appsAt({ reader }: ReturnType<typeof hostOf>, number: number) {
  const apps = await reader.read(commitOf(number))
  if (!apps.ok) throw new Error(apps.error.kind)
  return apps.value
}

async function claimsAt({ reader }: ReturnType<typeof hostOf>, number: number) {
  const claims = await reader.claims(commitOf(number))
  if (!claims.ok) throw new Error(claims.error.kind)
  return claims.value
}

const SHOP = 'apps/payments/shop'
const TILL = 'apps/payments/till'
const patch = (host: string) => `spec:\n  parameters:\n    ingress:\n      host: ${host}\n`
const kustomization = (app: string, tag: string) =>
  `resources: [../../base]\nimages:\n  - name: ghcr.io/acme/${app}\n    newTag: ${tag}\n`

function filesOf(app: string, tag: string, team = 'payments'): Files {
  const texts: Record<string, string> = {}
  for (const [path, text] of Object.entries(applicationFiles({ app, team }))) {
    texts[path] = typeof text === 'string' ? text : new TextDecoder().decode(text)
  }
  return {
    ...texts,
    [`apps/${team}/${app}/overlays/dev/kustomization.yaml`]: kustomization(app, tag),
    [`apps/${team}/${app}/overlays/dev/patch-xtenant-app.yaml`]: patch(`${app}.dev.example.org`),
  }
}

const tagsOf = (apps: Awaited<ReturnType<typeof appsAt>>) =>
  Object.fromEntries(
    [...apps.folders].map(([folder, { images }]) => [
      folder,
      [...images()].map(([{ environment }, image]) => `${environment} ${image?.tag}`),
    ]),
  )

describe('the applications at a commit', () => {
  test('come from one listing, each with its image in every environment and its claims', async () => {
    const files = {
      ...filesOf('shop', '1.10'),
      ...filesOf('till', '2'),
      [`${SHOP}/overlays/prod/kustomization.yml`]: kustomization('shop', '1.9'),
      [`${SHOP}/overlays/preview/patch-host.yaml`]: patch('shop.preview.example.org'),
      [`${TILL}/README.md`]: 'read me',
      'apps/README.md': 'read me',
      'apps/payments/README.md': 'read me',
      'apps/payments/empty/README.md': 'read me',
    }
    const host = hostOf([files])
    const apps = await appsAt(host, 0)
    expect(tagsOf(apps)).toStrictEqual({
      'apps/payments/empty': [],
      [SHOP]: ['dev 1.10', 'production 1.9'],
      [TILL]: ['dev 2'],
    })
    expect(host.read.some((path) => path.includes('patch'))).toBe(false)
    const { claims } = await claimsAt(host, 0)
    expect(claims.map(({ path, name }) => [path, name])).toStrictEqual([
      [`${SHOP}/overlays/dev/patch-xtenant-app.yaml`, 'shop.dev.example.org'],
      [`${SHOP}/overlays/preview/patch-host.yaml`, 'shop.preview.example.org'],
      [`${TILL}/overlays/dev/patch-xtenant-app.yaml`, 'till.dev.example.org'],
    ])
    expect(host.read.some((path) => path.endsWith('README.md'))).toBe(false)
  })

  test('are read again only where their files changed', async () => {
    const before = { ...filesOf('shop', '1'), ...filesOf('till', '2') }
    const host = hostOf([before, { ...before, ...filesOf('shop', '3') }, before])
    await claimsAt(host, 0)
    host.read.length = 0
    const apps = await appsAt(host, 1)
    expect(tagsOf(apps)).toStrictEqual({ [SHOP]: ['dev 3'], [TILL]: ['dev 2'] })
    expect(host.read.every((path) => path.startsWith(SHOP))).toBe(true)
    const ofShop = Object.keys(before).filter((path) => path.startsWith(`${SHOP}/`)).length
    expect(host.lists[1]).toBe(ofShop)
    const { claims } = await claimsAt(host, 1)
    expect(new Set(claims.map(({ path }) => path.split('/')[2]))).toStrictEqual(
      new Set(['shop', 'till']),
    )
    expect(host.read.every((path) => path.startsWith(SHOP))).toBe(true)
    const back = await appsAt(host, 2)
    expect([back.commit, tagsOf(back)[SHOP]]).toStrictEqual([commitOf(2), ['dev 1']])
  })

  test('stay where nothing changed, and go with the last of a team', async () => {
    const payments = { ...filesOf('shop', '1'), ...filesOf('till', '2') }
    const shipping = filesOf('cart', '1', 'shipping')
    const host = hostOf([{ ...payments, ...shipping }, payments, filesOf('till', '2')])
    const [whole, without] = [await appsAt(host, 0), await appsAt(host, 1)]
    expect(without.folders.get(SHOP)).toBe(whole.folders.get(SHOP))
    expect([...without.folders.keys()]).toStrictEqual([SHOP, TILL])
    expect(host.lists[1]).toBe(0)
    const last = await appsAt(host, 2)
    expect(tagsOf(last)).toStrictEqual({ [TILL]: ['dev 2'] })
    const { claims } = await claimsAt(host, 2)
    expect(claims.map(({ name }) => name)).toStrictEqual(['till.dev.example.org'])
  })

  test('are all listed after a push that changes very many of them, and beyond the limit of files', async () => {
    const all = (count: number, tag: string): Files =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) =>
          Object.entries(filesOf(`app-${index}`, tag)),
        ).flat(),
      )
    const commits: readonly Files[] = [all(60, '1'), all(60, '2'), all(61, '2')]
    const total = (at: number) =>
      Object.keys(commits[at] ?? {}).filter((path) => path.startsWith('apps/')).length
    const host = hostOf(commits, [], 1e9, total(0) + 1)
    for (const at of commits.keys()) {
      const { files, folders } = await appsAt(host, at)
      expect([files, folders.size]).toStrictEqual([total(at), at === 2 ? 61 : 60])
    }
    expect(host.lists).toStrictEqual([total(0), total(1), total(2)])
  })

  test('lose the one with a damaged file, which is named, and is read again', async () => {
    const whole = { ...filesOf('shop', '1'), ...filesOf('till', '2') }
    const damaged = { ...whole, [`${SHOP}/overlays/dev/kustomization.yaml`]: 'damaged' }
    const host = hostOf([damaged, { ...damaged }, whole])
    const apps = await appsAt(host, 0)
    expect([tagsOf(apps), apps.cut]).toStrictEqual([{ [TILL]: ['dev 2'] }, [SHOP]])
    expect((await appsAt(host, 1)).cut).toStrictEqual([SHOP])
    expect(tagsOf(await appsAt(host, 2))).toStrictEqual({ [SHOP]: ['dev 1'], [TILL]: ['dev 2'] })
  })

  test('have claims that nobody knows where a patch is damaged, until it is whole', async () => {
    const whole = { ...filesOf('shop', '1'), ...filesOf('till', '2') }
    const damaged = { ...whole, [`${SHOP}/overlays/dev/patch-xtenant-app.yaml`]: 'damaged' }
    const host = hostOf([damaged, whole])
    const ofDamaged = await claimsAt(host, 0)
    expect(ofDamaged.cut).toStrictEqual([SHOP])
    expect(ofDamaged.claims.map(({ name }) => name)).toStrictEqual(['till.dev.example.org'])
    const ofWhole = await claimsAt(host, 1)
    expect([ofWhole.cut, ofWhole.claims.length]).toStrictEqual([[], 2])
  })

  test('are cut where a team has too many bytes, and no other team', async () => {
    const large = `# ${'x'.repeat(60_000)}\n`
    const hoard = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `apps/hoarders/app-${index}/base/xtenant-app.yaml`,
        `${large}# ${index}\n`,
      ]),
    )
    const host = hostOf([{ ...hoard, ...filesOf('shop', '1') }], [], 1_000_000)
    const apps = await appsAt(host, 0)
    expect([apps.cut, tagsOf(apps)[SHOP]]).toStrictEqual([['apps/hoarders'], ['dev 1']])
    expect(host.read.length).toBeLessThan(25)
  })

  test('are shared out anew when a team grows beyond the room', async () => {
    const hoard = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `apps/hoarders/app-${index}/base/xtenant-app.yaml`,
          `# ${'x'.repeat(60_000)}\n# ${index}\n`,
        ]),
      )
    const rest = filesOf('shop', '1')
    const commits = [1, 30, 31, 2].map((count) => ({ ...hoard(count), ...rest }))
    const host = hostOf(commits, [], 1_000_000)
    const cuts: unknown[] = []
    for (const index of commits.keys()) {
      const apps = await appsAt(host, index)
      cuts.push([apps.cut, apps.folders.has(SHOP)])
    }
    const isCut = [['apps/hoarders'], true]
    expect(cuts).toStrictEqual([[[], true], isCut, isCut, [[], true]])
  })

  test('are all those of a team with 3,000, of nine files each', async () => {
    const names = ['base/kustomization', 'base/xtenant-app', 'overlays/dev/kustomization']
    const files = Array.from({ length: 27_000 }, (_, index) => ({
      path: RepositoryPath.of(
        `apps/payments/app-${index % 3_000}/${names[index % 9] ?? `base/${index}`}.yaml`,
      ),
      blob: blobOf(String(index)),
      executable: false,
      sizeBytes: 1_000,
    }))
    const listing = { tree: null, files, skipped: [] }
    const { byFolder, cut } = await groupByApplication(listing, defaultLimits.memoryMaxBytes)
    expect([byFolder.size, cut.size]).toStrictEqual([3_000, 0])
  })

  test('name the folders that the git host left out', async () => {
    const skipped = [{ rawPath: 'apps/evil', reason: 'too_many_files' }] as const
    expect((await appsAt(hostOf([filesOf('shop', '1')], skipped), 0)).cut).toStrictEqual([
      'apps/evil',
    ])
  })

  test('keep no text that is longer than any name', async () => {
    const files = {
      ...filesOf('shop', 'x'.repeat(300)),
      [`${SHOP}/overlays/staging/patch-xtenant-app.yaml`]: patch('h'.repeat(300)),
    }
    const apps = await appsAt(hostOf([files]), 0)
    expect(tagsOf(apps)[SHOP]).toStrictEqual(['dev null'])
    const { claims } = await claimsAt(hostOf([files]), 0)
    expect(claims.map(({ name }) => name)).toStrictEqual(['shop.dev.example.org'])
  })

  test('are one reading for everybody who asks at the same time', async () => {
    const host = hostOf([filesOf('shop', '1')])
    await Promise.all([appsAt(host, 0), appsAt(host, 0)])
    expect(new Set(host.read).size).toBe(host.read.length)
  })

  test('have all their claims where other commits come while those are read', async () => {
    const host = hostOf([filesOf('shop', '1'), filesOf('shop', '2')])
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    host.hooks.beforeRead = async (paths) => {
      if (!paths.some((path) => path.includes('patch-'))) return
      begun.resolve()
      await go.promise
    }
    const first = claimsAt(host, 0)
    await begun.promise
    await appsAt(host, 1)
    await appsAt(host, 0)
    const second = claimsAt(host, 0)
    go.resolve()
    const claims = await Promise.all([first, second])
    expect(claims.map(({ cut, claims: { length } }) => [cut, length])).toStrictEqual([
      [[], 1],
      [[], 1],
    ])
  })
})
