import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import * as cli from '#src/demo/seed/cli.ts'
import type { SeedFile } from '#src/demo/seed/file.ts'
import { commits, pullRequests } from '#src/demo/seed/gitops.ts'
import { openFolder } from '#tests/support/open-folder.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { outputOf } from '#tests/support/run-program.ts'

/** What the default branch and every pull request have, each version of a file. */
const written: readonly SeedFile[] = [...commits, ...pullRequests].flatMap(({ files }) => files)
const text = ({ bytes }: SeedFile) => new TextDecoder().decode(bytes)

describe('applications', () => {
  const files = new Map(written.map((file) => [String(file.path), text(file)]))

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
          const built = await outputOf(['kubectl', 'kustomize', join(folder.path, path, '..')])
          expect(built).toContain(`image: ghcr.io/acme/${name}:${tag}\n`)
        }),
      )
    },
    60_000,
  )
})

describe('the command line client', () => {
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
      await outputOf(['sha256sum', '--check', '--quiet', 'checksums.txt'], { cwd })
      const version = release.tag.slice('portico-v'.length)
      const said = await outputOf(['sh', 'portico-linux-amd64'], { cwd })
      expect(said).toBe(`portico ${version} (linux/amd64)\n`)
    }
  })
})
