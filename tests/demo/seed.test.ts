import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { baseFiles, overlayFiles } from '#src/demo/seed/application.ts'
import * as cli from '#src/demo/seed/cli.ts'
import { componentFile, entityFile } from '#src/demo/seed/entity.ts'
import type { SeedFile } from '#src/demo/seed/file.ts'
import { broken, duplicate } from '#src/demo/seed/flaws.ts'
import { commits, pullRequests } from '#src/demo/seed/gitops.ts'
import { components } from '#src/demo/seed/payments.ts'
import { parseFile } from '#src/lib/domain/catalog/parse-file.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { openFolder } from './open-demo.ts'
import { kubectl } from '#tests/support/kubectl.ts'

/** What the default branch and every pull request have, each version of a file. */
const written: readonly SeedFile[] = [...commits, ...pullRequests].flatMap(({ files }) => files)
const isCatalog = ({ path }: SeedFile) => path.startsWith('catalog/')
const text = ({ bytes }: SeedFile) => new TextDecoder().decode(bytes)

describe('catalog files', () => {
  test.each(
    written
      .filter((file) => isCatalog(file) && file.path !== broken.path)
      .map((file) => [file.path, file] as const),
  )('%s has one entity and no problem', (_, { bytes }) => {
    const { entities, findings } = parseFile(bytes, pipelineOf().lifecycles)
    expect(findings).toStrictEqual([])
    expect(entities).toBeArrayOfSize(1)
  })

  test('the broken one is broken, in YAML itself', () => {
    const { entities, findings } = parseFile(broken.bytes, pipelineOf().lifecycles)
    expect(entities).toStrictEqual([])
    expect(findings.map(({ code }) => code)).toStrictEqual(['yaml_syntax'])
  })

  test('the duplicate comes later by path than what it repeats', () => {
    const [repeated] = duplicate.map(({ path }) => path)
    const original = 'catalog/shipping/components/tracking-web.yaml'
    expect(written.map(({ path }): string => path)).toContain(original)
    expect(String(repeated) > original).toBe(true)
  })

  test('names and paths agree', () => {
    const row = { ...components[0], name: 'a-name' }
    expect(String(componentFile('payments', 'checkout', row).path)).toBe(
      'catalog/payments/components/a-name.yaml',
    )
    const part = { kind: 'API', name: 'b', title: 'B', description: 'b', spec: {} } as const
    expect(String(entityFile('shipping', part).path)).toBe('catalog/shipping/apis/b.yaml')
  })

  test('commits go forward in time, and every message says something', () => {
    const days = commits.map(({ daysAgo }) => daysAgo)
    expect(days).toStrictEqual(days.toSorted((one, other) => other - one))
    expect(commits.every(({ message }) => message.length > 10)).toBe(true)
  })
})

describe('applications', () => {
  const reached = {
    experimental: [],
    development: ['dev'],
    staging: ['dev', 'staging'],
    production: ['dev', 'staging', 'production'],
    deprecated: ['dev', 'staging', 'production'],
  }
  const files = new Map(written.map((file) => [String(file.path), text(file)]))

  test('have the overlays of their lifecycle, and no other', () => {
    const seen = new Map<string, number>()
    for (const [path, source] of files) {
      const [, team, name] = /^catalog\/(.+)\/components\/(.+)\.yaml$/.exec(path) ?? []
      const lifecycle = /^  lifecycle: (\w+)$/m.exec(source)?.[1] ?? ''
      if (name === undefined || duplicate.some((file) => file.path === path)) continue
      const folder = `apps/${team}/${name}/overlays/`
      const overlays = [...files.keys()].filter((other) => other.startsWith(folder))
      const environments = new Set(overlays.map((other) => other.split('/')[4]))
      expect({ name, environments: [...environments] }).toStrictEqual({
        name,
        environments: reached[lifecycle as keyof typeof reached],
      })
      expect(overlays).toBeArrayOfSize(environments.size * 3)
      seen.set(lifecycle, (seen.get(lifecycle) ?? 0) + 1)
    }
    expect([...seen.keys()].toSorted()).toStrictEqual(Object.keys(reached).toSorted())
  })

  test('the base has no image tag, the overlay has it', () => {
    const row = { ...components[0], name: 'shop', deployed: { dev: '1.10' } }
    const [, base] = baseFiles('payments', row)
    expect(base && text(base)).toContain('image: ghcr.io/acme/shop\n')
    const [kustomization] = overlayFiles('payments', row, 'dev')
    expect(kustomization && text(kustomization)).toContain("newTag: '1.10'\n")
    expect(overlayFiles('payments', row, 'staging')).toStrictEqual([])
  })

  test.skipIf(kubectl === null)(
    'every overlay builds, with its tag on the image',
    async () => {
      await using folder = await openFolder()
      for (const [path, source] of files) await Bun.write(join(folder.path, path), source)
      const overlays = [...files.keys()].filter((path) =>
        /\/overlays\/\w+\/kustomization\.yaml$/.test(path),
      )
      expect(overlays.length).toBeGreaterThan(20)
      await Promise.all(
        overlays.map(async (path) => {
          const tag = /newTag: (\S+)/.exec(files.get(path) ?? '')?.[1]
          const name = path.split('/')[2]
          const build = Bun.spawn(['kubectl', 'kustomize', join(folder.path, path, '..')])
          expect(await build.stdout.text()).toContain(`image: ghcr.io/acme/${name}:${tag}\n`)
          expect(await build.exited).toBe(0)
        }),
      )
    },
    60_000,
  )
})

describe('the command line client', () => {
  test('has one release to use, one to try and one to write', () => {
    const releases = cli.history.map(({ release: { tag, draft, prerelease } }) => ({
      tag,
      draft,
      prerelease,
    }))
    expect(releases).toStrictEqual([
      { tag: 'portico-v1.4.0', draft: false, prerelease: false },
      { tag: 'portico-v1.5.0-rc.1', draft: false, prerelease: true },
      { tag: 'portico-v1.5.0', draft: true, prerelease: false },
    ])
  })

  test('runs, and its checksums are right', async () => {
    await using folder = await openFolder()
    for (const { release } of cli.history) {
      const cwd = join(folder.path, release.tag)
      for (const { filename, bytes } of release.assets) await Bun.write(join(cwd, filename), bytes)
      expect(release.assets.map(({ filename }) => filename)).toStrictEqual([
        'portico-linux-amd64',
        'portico-linux-arm64',
        'portico-darwin-amd64',
        'portico-darwin-arm64',
        'portico-windows-amd64.exe',
        'checksums.txt',
      ])
      const check = Bun.spawn(['sha256sum', '--check', '--quiet', 'checksums.txt'], { cwd })
      expect(await check.exited).toBe(0)
      const run = Bun.spawn(['sh', 'portico-linux-amd64'], { cwd })
      const version = release.tag.slice('portico-v'.length)
      expect(await run.stdout.text()).toBe(`portico ${version} (linux/amd64)\n`)
    }
  })
})
