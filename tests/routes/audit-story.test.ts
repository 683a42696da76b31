import { expect, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import { confirm, endOfMove, openShop, promote } from '#tests/support/promotion.ts'

interface Told {
  readonly id: string
  readonly action: string
  readonly result: string
  readonly code: string | null
  readonly requestId: string
  readonly details: Readonly<Record<string, unknown>>
}

interface Story {
  readonly record: Told
  readonly run: {
    readonly kind: string
    readonly status: string
    readonly steps: readonly { readonly status: string; readonly message: string }[]
  } | null
  readonly related: readonly Told[]
}

async function latest(portal: TestPortal): Promise<Told> {
  const listed = await portal.request('/api/v1/audit?limit=1', { as: 'platform' })
  const [record] = (await listed.json()) as readonly Told[]
  if (record === undefined) throw new Error('no record')
  return record
}

const get = (portal: TestPortal, id: string, as: Person) =>
  portal.request(`/api/v1/audit/${id}`, { as })

async function storyOf(portal: TestPortal, as: Person = 'platform'): Promise<Story> {
  const answer = await get(portal, (await latest(portal)).id, as)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Story
}

const UNREACHABLE = {
  kind: 'git_host_unreachable',
  reason: 'https://git.test: refused',
} as const

/** What an operator reads after each fault. */
test.each<
  [
    string,
    (portal: TestPortal) => void,
    string,
    object,
    string | undefined,
    Record<string, unknown>,
  ]
>([
  [
    'the git host is away from the start',
    ({ git }) => {
      git.head = async () => err(UNREACHABLE)
    },
    'failed',
    UNREACHABLE,
    undefined,
    { target: 'development' },
  ],
  [
    'the git host refuses the write',
    ({ git }) => {
      git.commit = async () => err({ kind: 'git_denied', what: 'contents: write on acme/gitops' })
    },
    'failed',
    { kind: 'git_denied', what: 'contents: write on acme/gitops' },
    'failed',
    { kind: 'promotion' },
  ],
  [
    'the git host goes away in the middle',
    ({ git }) => {
      git.openPullRequest = async () => err(UNREACHABLE)
    },
    'started',
    UNREACHABLE,
    'in_progress',
    { kind: 'promotion' },
  ],
])('why a promotion failed: %s', async (_, spoil, result, upstream, lastStep, details) => {
  await using portal = await openShop()
  await portal.portal.catalog.read()
  spoil(portal)
  const { body } = await promote(portal, 'development')
  const { record, run } = await storyOf(portal)
  expect(record).toMatchObject({
    action: 'promotion.propose',
    result,
    details: { ...details, upstream },
  })
  // The id that the person was told.
  if (result === 'failed') expect(record.requestId).toBe(String(body['requestId']))
  expect(run?.steps.at(-1)?.status).toBe(lastStep)
  if (result === 'started') expect(run?.steps.at(-1)?.message).toContain('trying again in ')
})

test('why a promotion failed: the secret store', async () => {
  await using portal = await openPortal({
    files: applicationFiles(),
    openSecretStore: (store) => ({
      ...store,
      describe: async () =>
        err({ kind: 'secret_store_error', reason: `HTTP 500\n\n${'x'.repeat(600)}` }),
    }),
  })
  await promote(portal, 'development', { secrets: { A: 'canary' } })
  const story = await storyOf(portal)
  expect(story.record.details['upstream']).toStrictEqual({
    kind: 'secret_store_error',
    reason: `HTTP 500 ${'x'.repeat(491)}`,
  })
  expect(JSON.stringify(story)).not.toContain('canary')
})

test('a move that waited and went on: its steps, and the confirmation that ended it', async () => {
  await using portal = await openShop()
  const host = { ...portal.git }
  portal.git.openPullRequest = async () => err({ kind: 'git_host_timeout' })
  const waiting = await promote(portal, 'development')
  portal.git.openPullRequest = (...args) => host.openPullRequest(...args)
  await endOfMove(portal, waiting)
  const { id } = await latest(portal)
  await portal.merge(1)
  await confirm(portal)
  await promote(portal, 'development', { replicas: 3 })
  const { record, run, related } = (await (await get(portal, id, 'platform')).json()) as Story
  expect(record).toMatchObject({ result: 'done', details: { pullRequest: 1 } })
  expect(run).toMatchObject({ kind: 'move', status: 'complete' })
  expect(run?.steps.map(({ status }) => status)).toStrictEqual([
    'in_progress',
    'in_progress',
    'in_progress',
    'complete',
  ])
  expect(related.map(({ action, result }) => [action, result])).toStrictEqual([
    ['promotion.confirm', 'done'],
  ])
})

test('its team sees it without what concerns operators, and others do not learn that it is there', async () => {
  await using portal = await openShop()
  portal.git.commit = async () => err({ kind: 'git_denied', what: 'contents: write' })
  await promote(portal, 'development')
  const { record, run } = await storyOf(portal, 'dev')
  expect([record.code, record.details['upstream']]).toStrictEqual(['git_denied', undefined])
  // Somebody else's run counts as missing.
  expect(run).toBeNull()
  const listed = await portal.request('/api/v1/audit?team=payments', { as: 'dev' })
  expect(await listed.text()).not.toContain('contents: write')
  const { id } = await latest(portal)
  const unknown = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'
  const answers = await Promise.all(
    [id, unknown].map(async (each) => {
      const answer = await get(portal, each, 'outsider')
      const { instance, requestId, ...problem } = (await answer.json()) as Record<string, unknown>
      expect([instance, requestId]).toStrictEqual([`/api/v1/audit/${each}`, expect.any(String)])
      return [answer.status, problem]
    }),
  )
  expect(answers[0]).toStrictEqual(answers[1])
  expect(answers[0]).toMatchObject([404, { code: 'audit_record_not_found' }])
})
