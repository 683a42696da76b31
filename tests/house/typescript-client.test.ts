import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { document } from '#tests/support/openapi.ts'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { outputOf } from '#tests/support/run-program.ts'

const folder = await mkdtemp(join(tmpdir(), 'portico-client-'))
const portal = await openPortal()
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const run = (...command: readonly string[]) => outputOf([process.execPath, ...command])

interface Options {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}
interface Answer {
  readonly response: Response
  readonly error?: { readonly code?: string }
}
interface Generated {
  readonly client: {
    setConfig(config: {
      readonly baseUrl: string
      readonly fetch: (request: Request) => Promise<Response>
    }): void
  }
  readonly sdk: Readonly<Record<string, (options: Options) => Promise<Answer>>>
}

async function generated(): Promise<Generated> {
  const flags = ['--plugins', '@hey-api/client-fetch', '--no-log-file', '--silent']
  await run(
    'x',
    '--bun',
    'openapi-ts',
    '--input',
    './src/openapi.gen.json',
    '--output',
    folder,
    ...flags,
  )
  const [client, sdk] = await Promise.all([
    import(join(folder, 'client.gen.ts')) as Promise<Pick<Generated, 'client'>>,
    import(join(folder, 'sdk.gen.ts')) as Promise<Generated['sdk']>,
  ])
  return { client: client.client, sdk }
}

const OPTIONS = {
  strict: true,
  target: 'esnext',
  module: 'preserve',
  lib: ['esnext', 'dom', 'dom.iterable'],
  noEmit: true,
}

/** Sign-in goes through a browser; the others answer with a stream of their own kind. */
const ELSEWHERE = [
  'login',
  'completeLogin',
  'followRun',
  'followPromotionRun',
  'followTopics',
  'retryRun',
  'logout',
  'endOtherSessions',
]

test('a generated TypeScript client compiles, and makes every call', async () => {
  const { client, sdk } = await generated()
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }))
  await run('check', join(folder, 'index.ts'))

  const sent: string[] = []
  client.setConfig({
    baseUrl: ORIGIN,
    async fetch(request) {
      sent.push(`${request.method} ${new URL(request.url).pathname}`)
      return portal.request(request.url.slice(ORIGIN.length), {
        as: 'platform',
        method: request.method,
        headers: request.headers,
        ...(request.body !== null && { body: await request.text() }),
      })
    },
  })
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
      if (ELSEWHERE.includes(operationId)) continue
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const values = Object.fromEntries(
        inPath.map(({ name, schema }) => [name, schema.examples?.[0] ?? 'a'.repeat(64)]),
      )
      const call = sdk[operationId]
      if (call === undefined) throw new Error(`no function ${operationId}`)
      const { response, error } = await call({
        path: values,
        query: { environment: 'dev', from: 'dev', to: 'staging' },
        body: Object.values(requestBody?.content ?? {})[0]?.example ?? {},
        headers: { prefer: 'respond-async' },
      })
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
      expect(sent.at(-1)).toBe(`${method.toUpperCase()} ${filled}`)
      // It reached the operation, which found its request in order.
      expect([operationId, error?.code]).not.toStrictEqual([operationId, 'not_found'])
      expect([operationId, response.status]).not.toStrictEqual([operationId, 422])
    }
  }
})
