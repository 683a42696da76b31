import { afterAll, describe, expect, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder } from '#tests/support/open-folder.ts'
import { openInstaller } from './cli-install-world.ts'

const installer = await openInstaller()
afterAll(() => installer[Symbol.asyncDispose]())
const { install, between } = installer

describe('an archive', () => {
  const PROGRAM = '#!/bin/sh\necho packed\n'
  const OTHER = '#!/bin/sh\necho something else\n'

  /** Installs from an archive of the given files; what the program says, or why there is none. */
  const unpacked = async (
    filename: string,
    pack: readonly string[],
    files: Readonly<Record<string, string>>,
  ) => {
    await using folder = await openFolder()
    const content = join(folder.path, 'content')
    for (const [name, text] of Object.entries(files)) await Bun.write(join(content, name), text)
    const command = pack.map((word) => word.replace('FILE', join(folder.path, filename)))
    expect(Bun.spawnSync(command, { cwd: content }).exitCode).toBe(0)
    const bytes = await Bun.file(join(folder.path, filename)).bytes()
    using proxy = between(
      () =>
        new Response(bytes, {
          headers: {
            etag: `"${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}"`,
            'content-disposition': `attachment; filename="${filename}"`,
          },
        }),
    )
    const place = join(folder.path, 'bin')
    const variables = { PORTAL_URL: proxy.url.origin, INSTALL_DIR: place }
    const { exitCode, stderr } = await install(folder.path, variables)
    if (exitCode !== 0) return stderr
    expect(await readdir(place)).toStrictEqual(['portico'])
    const { uid, gid } = await stat(join(place, 'portico'))
    expect([uid, gid]).toStrictEqual([process.getuid?.() ?? -1, process.getgid?.() ?? -1])
    return Bun.spawnSync([join(place, 'portico')]).stdout.toString()
  }

  const TAR = ['tar', '--owner=12345', '--group=12345', '-czf', 'FILE', '.']
  const REFUSED = 'install: no portico could be taken out of the archive'

  test.each([
    ['at its top', ['portico', 'README.md', 'completions/portico']],
    ['in its bin', ['bin/portico', 'share/portico']],
    ['in the bin that is all it has', ['bin/portico']],
    ['in its only folder', ['portico-1.2.3/portico', 'portico-1.2.3/completions/bash/portico']],
    ['in the bin of its only folder', ['portico-1.2.3/bin/portico', 'portico-1.2.3/man/portico']],
  ])('is unpacked for the program %s', async (_, [program = '', ...others]) => {
    const files = {
      [program]: PROGRAM,
      ...Object.fromEntries(others.map((name) => [name, OTHER])),
    }
    expect(await unpacked('d_linux.tar.gz', TAR, files)).toBe('packed\n')
  })

  test('may be a zip, or the program alone', async () => {
    const files = { portico: PROGRAM }
    expect(await unpacked('d.gz', ['sh', '-c', 'gzip -c portico >FILE'], files)).toBe('packed\n')
    if (Bun.which('zip') === null || Bun.which('unzip') === null) return
    expect(await unpacked('d.zip', ['zip', '-qr', 'FILE', '.'], files)).toBe('packed\n')
  })

  test.each([
    ['a README alone', ['README.md']],
    ['a completion of that name', ['completions/portico', 'README.md']],
    ['two folders that have one', ['linux/portico', 'other/portico']],
  ])('with %s is refused', async (_, names) => {
    const files = Object.fromEntries(names.map((name) => [name, OTHER]))
    expect(await unpacked('d.tar.gz', TAR, files)).toBe(REFUSED)
  })

  test('with a link to the program is refused, and nothing is taken from where it leads', async () => {
    await using outside = await openFolder()
    await Bun.write(join(outside.path, 'portico'), OTHER)
    const make = `ln -s ${outside.path} bin && tar -czf FILE .`
    const files = { 'README.md': 'read' }
    expect(await unpacked('d.tar.gz', ['sh', '-c', make], files)).toBe(REFUSED)
    expect(await readdir(outside.path)).toStrictEqual(['portico'])
  })

  test('of a kind that not every system can unpack is refused', async () => {
    expect(await unpacked('d.zst', ['cp', 'portico', 'FILE'], { portico: PROGRAM })).toBe(REFUSED)
  })
})
