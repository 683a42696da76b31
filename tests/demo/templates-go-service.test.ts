import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Folder, openFolder } from '#tests/support/open-folder.ts'
import { buildCommand, renderInto } from './rendered-template.ts'
import { freePort } from '#tests/support/free-port.ts'
import { run, startServer, succeed } from './template-process.ts'

/** The standard library is compiled on the first run. */
const PROGRAM_MS = 300_000

/** Debian 12 has no Go that is new enough, so that this is skipped in its CI too. The one that is installed, nothing from elsewhere, no C compiler, and the flag of the build, with which alone the library is compiled once. */
const variables = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-trimpath', CGO_ENABLED: '0' }

async function isInstalled(): Promise<boolean> {
  if (Bun.which('go') === null) return false
  const version = await succeed(['go', 'env', 'GOVERSION'], { cwd: '/', variables })
  return Bun.semver.satisfies(version.trim().slice('go'.length), '>=1.24')
}

const hasGo = await isInstalled()
if (!hasGo) console.warn('the go-service template is not tried: there is no Go 1.24 or newer')

describe.if(hasGo)('the go-service template', () => {
  let folder: Folder
  const here = () => ({ cwd: folder.path, variables })
  beforeAll(async () => {
    folder = await openFolder()
    await renderInto(folder.path, 'go-service')
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  test('is formatted, and gofmt would say otherwise', async () => {
    expect(await succeed(['gofmt', '-l', '.'], here())).toBe('')
    await Bun.write(join(folder.path, 'untidy/untidy.go'), 'package untidy\nvar  x = 1\n')
    expect(await succeed(['gofmt', '-l', '.'], here())).toBe('untidy/untidy.go\n')
    await Bun.file(join(folder.path, 'untidy/untidy.go')).delete()
  })

  test('needs nothing but the standard library', async () => {
    expect(await succeed(['go', 'list', '-m', 'all'], here())).toBe('github.com/acme/null\n')
  })

  test(
    'vets and passes its own tests',
    async () => {
      expect(await succeed(['go', 'vet', './...'], here())).toBe('')
      const tests = await succeed(['go', 'test', './...'], here())
      expect(tests).toMatch(/^ok\s+github\.com\/acme\/null\/internal\/web\s/m)
    },
    PROGRAM_MS,
  )

  test(
    'serves as it is built for the image, and ends well',
    async () => {
      const program = join(folder.path, 'out/server')
      await succeed(buildCommand('go-service', 'go', ['/out/server', program]), here())
      const port = freePort()
      const place = { cwd: '/', variables: { PORT: String(port) } }
      await using server = await startServer([program], { ...place, port })
      const health = await fetch(`${server.url}/healthz`)
      expect([health.status, await health.text()]).toStrictEqual([200, 'ok\n'])
      const greeting = await fetch(server.url)
      expect(await greeting.json()).toStrictEqual({ message: 'Hello from null' })
      // Another one finds the port taken: it ends, and not as if all were well.
      expect(await run([program], place)).toMatchObject({ exitCode: 1 })

      const { exitCode, output } = await server.end('SIGTERM')
      expect(exitCode).toBe(0)
      const lines = output.trim().split('\n')
      const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
      expect(messages).toStrictEqual(['listening', 'request', 'stopping', 'stopped'])
    },
    PROGRAM_MS,
  )
})
