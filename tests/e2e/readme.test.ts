import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { VERSION } from '#src/version.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { outputOf } from '#tests/support/run-program.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const readme = await Bun.file('README.md').text()
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
const [commands = '', ...things] = blocks

const { scripts } = (await Bun.file('package.json').json()) as { scripts: Record<string, string> }

describe('the README', () => {
  let portico: PorticoProcess
  beforeAll(async () => {
    // A relative path, as it is by default.
    const DATA_DIR = relative('.', join(folder, 'data'))
    portico = await startPortico(['demo'], { PORT: '0', DATA_DIR })
  })
  afterAll(() => portico[Symbol.asyncDispose]())
  // Hooks run in the order of their registration: the folder goes last.
  const folder = folderOfTests()

  test('names two commands that exist, and do their own set-up', () => {
    const named = [...commands.matchAll(/^bun run (\w+)/gm)].map((match) => match[1] ?? '')
    expect(named).toStrictEqual(['demo', 'test'])
    for (const name of named) {
      expect(scripts[name]).toBeString()
      expect(scripts[`pre${name}`]).toBe('bun install --frozen-lockfile --silent')
    }
  })

  test('says what the demo prints', () => {
    expect(readme).toContain(`\nPortico ${VERSION} ready on http://127.0.0.1:8080\n`)
    expect(portico.banner).toEndWith(`\nPortico ${VERSION} ready on ${portico.url}\n`)
  })

  for (const [index, block] of things.entries()) {
    test(`block ${index + 1} works as written`, async () => {
      const script = block.replaceAll('127.0.0.1:8080', new URL(portico.url).host)
      // `curl --fail`: an answer that is an error must not look like a success.
      await outputOf(
        ['bash', '-euc', `curl() { command curl --fail-with-body "$@"; }\n${script}`],
        { cwd: folder, env: gitEnvironment(folder) },
      )
    })
  }
})

test('SECURITY.md names tests that are there', async () => {
  const text = await Bun.file('SECURITY.md').text()
  const named = [...text.matchAll(/`(tests\/[^`]+)`/g)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) {
    const pattern = name.endsWith('/') ? `${name}**/*.ts` : name
    const found = await Array.fromAsync(new Bun.Glob(pattern).scan('.'))
    expect([name, found.length > 0]).toStrictEqual([name, true])
  }
})
