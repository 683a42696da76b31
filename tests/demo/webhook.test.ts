import { expect, test } from 'bun:test'
import { GITOPS } from '#src/demo/seed/seed.ts'
import { createWebhook } from '#src/demo/webhook.ts'
import { ObjectId, parseRepositoryId } from '#src/lib/names.ts'

const REF = 'refs/heads/main'
const after = ObjectId.parse('a'.repeat(40)) ?? null
const change = { ref: REF, before: null, after }

function open(answer: () => Response | Promise<Response>) {
  const heard: { path: string; authorization: string | null; body: unknown }[] = []
  const warned: string[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { headers, url } = request
      const authorization = headers.get('authorization')
      heard.push({ path: new URL(url).pathname, authorization, body: await request.json() })
      return answer()
    },
  })
  const webhook = createWebhook({
    repository: GITOPS,
    ref: REF,
    url: new URL('/hook', server.url),
    token: 'the-token',
    log: { warn: (...given: readonly unknown[]) => void warned.push(String(given[1])) },
  })
  return { webhook, heard, warned, server, [Symbol.asyncDispose]: () => server.stop(true) }
}

const noContent = () => new Response(null, { status: 204 })

test('tells of the default branch of the gitops repository, as a git host does', async () => {
  await using fixture = open(noContent)
  fixture.webhook.onRefsChanged(GITOPS, [{ ...change, ref: 'refs/heads/idea' }, change])
  await fixture.webhook.delivered()
  expect(fixture.heard).toStrictEqual([
    {
      path: '/hook',
      authorization: 'Bearer the-token',
      body: { ref: REF, before: null, after, repository: { full_name: 'acme/gitops' } },
    },
  ])
  expect(fixture.warned).toStrictEqual([])
})

test.each(['acme/templates', 'other/gitops'])('has nothing to tell of %s', async (name) => {
  await using fixture = open(noContent)
  const repository = parseRepositoryId(name)
  if (repository !== undefined) fixture.webhook.onRefsChanged(repository, [change])
  await fixture.webhook.delivered()
  expect(fixture.heard).toStrictEqual([])
})

test('whoever waits has every delivery behind them', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<Response>()
  await using fixture = open(() => {
    asked.resolve()
    return gate.promise
  })
  fixture.webhook.onRefsChanged(GITOPS, [change])
  const waiting = fixture.webhook.delivered()
  await asked.promise
  expect(Bun.peek.status(waiting)).toBe('pending')
  gate.resolve(noContent())
  await waiting
})

test('a refusal and a dead server are logged, and nobody is left waiting', async () => {
  await using fixture = open(() => new Response(null, { status: 401 }))
  fixture.webhook.onRefsChanged(GITOPS, [change])
  await fixture.webhook.delivered()
  await fixture.server.stop(true)
  fixture.webhook.onRefsChanged(GITOPS, [change])
  await fixture.webhook.delivered()
  expect(fixture.warned).toStrictEqual(['the webhook was refused', 'the webhook was not delivered'])
})
