import { afterAll, beforeAll, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Folder, openFolder } from '#tests/support/open-folder.ts'
import { buildCommand, renderInto } from './rendered-template.ts'
import { freePort } from '#tests/support/free-port.ts'
import { run, startServer, succeed } from './template-process.ts'

const PROGRAM_MS = 30_000

let folder: Folder
const here = () => ({ cwd: folder.path })
beforeAll(async () => {
  folder = await openFolder()
  await renderInto(folder.path, 'bun-service')
})
afterAll(() => folder[Symbol.asyncDispose]())

test('its lock file says what package.json asks for', async () => {
  // A registry that does not answer, and no cache: the lock file has to know everything.
  const install = () =>
    run(['bun', 'install', '--frozen-lockfile', '--dry-run', '--registry', 'http://127.0.0.1:1'], {
      ...here(),
      variables: { BUN_INSTALL_CACHE_DIR: join(folder.path, 'no-cache') },
    })
  expect(await install()).toMatchObject({ exitCode: 0 })

  const manifest = Bun.file(join(folder.path, 'package.json'))
  const text = await manifest.text()
  await manifest.write(text.replace('"@types/bun"', '"@types/node"'))
  expect(await install()).toMatchObject({ exitCode: 1 })
  await manifest.write(text)
})

test('has no type error, and would report one', async () => {
  await symlink(resolve('node_modules'), join(folder.path, 'node_modules'))
  const check = () => run(['bun', 'check'], here())
  expect(await check()).toMatchObject({ exitCode: 0 })

  const mistake = Bun.file(join(folder.path, 'src/mistake.ts'))
  await mistake.write('export const port: number = process.env["PORT"]\n')
  const { exitCode, output } = await check()
  expect(exitCode).not.toBe(0)
  expect(output).toContain('TS2322')
  await mistake.delete()
})

test(
  'passes its own tests',
  async () => {
    expect(await succeed(['bun', 'test'], here())).toMatch(/^ [1-9]\d* pass\n 0 fail$/m)
  },
  PROGRAM_MS,
)

test(
  'serves as it is built for the image, and ends well',
  async () => {
    const out = join(folder.path, 'out')
    await succeed(buildCommand('bun-service', 'bun', ['--outdir=dist', `--outdir=${out}`]), here())
    const port = freePort()
    await using server = await startServer(['bun', 'main.js'], {
      cwd: out,
      port,
      variables: { NODE_ENV: 'production', PORT: String(port) },
    })
    const health = await fetch(`${server.url}/healthz`)
    expect([health.status, await health.text()]).toStrictEqual([200, 'ok\n'])
    const greeting = await fetch(server.url)
    expect(await greeting.json()).toStrictEqual({ message: 'Hello from null' })

    const { exitCode, output } = await server.end('SIGTERM')
    expect(exitCode).toBe(0)
    const lines = output.trim().split('\n')
    const messages = lines.map((line) => (JSON.parse(line) as { message: string }).message)
    expect(messages).toStrictEqual(['listening', 'stopping', 'stopped'])
  },
  PROGRAM_MS,
)
