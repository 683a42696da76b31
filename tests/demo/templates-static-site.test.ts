import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Folder, openFolder } from '#tests/support/open-folder.ts'
import { renderInto } from './rendered-template.ts'
import { run, succeed } from './template-process.ts'

let folder: Folder
const here = () => ({ cwd: folder.path })
const at = (path: string) => join(folder.path, path)
beforeAll(async () => {
  folder = await openFolder()
  await renderInto(folder.path, 'static-site')
})
afterAll(() => folder[Symbol.asyncDispose]())

test('is formatted as Bun formats without settings', async () => {
  await succeed(['bun', 'fmt', '--check', 'site', 'tests'], here())
})

describe('its own tests', () => {
  test('pass', async () => {
    expect(await succeed(['bun', 'test'], here())).toMatch(/^ [1-9]\d* pass\n 0 fail$/m)
  })

  test.each([
    ['a link that leads nowhere', '<a href="/nowhere">x</a>', '/nowhere'],
    ['a relative one', '<a href="nowhere.html">x</a>', '/bad/nowhere.html'],
    ['a folder without index.html', '<img src="/assets/" />', '/assets/index.html'],
    ['a style of its own', '<p style="color: red">x</p>', 'style='],
    ['a script of its own', '<script>x()</script>', '<script>'],
    ['a script in an attribute', '<p onclick="x()">x</p>', 'onclick='],
  ])('find %s', async (_, body, finding) => {
    const page = Bun.file(at('site/bad/index.html'))
    await page.write(`<html lang="en"><title>x</title><body>${body}</body></html>`)
    const { exitCode, output } = await run(['bun', 'test'], here())
    await page.delete()
    expect(exitCode).toBe(1)
    expect(output).toMatch(/^ 1 fail$/m)
    expect(output).toContain(finding)
  })

  test('let links to elsewhere and to folders be', async () => {
    const page = Bun.file(at('site/good/index.html'))
    const links =
      '<a href="https://example.org/x">x</a><a href="/good/#here">y</a><a href="../">z</a>'
    await page.write(`<html lang="en"><title>x</title><body>${links}</body></html>`)
    await succeed(['bun', 'test'], here())
    await page.delete()
  })
})
