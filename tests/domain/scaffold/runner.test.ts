import { describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file.ts'
import type { CatalogRead } from '#src/lib/domain/catalog/catalog.ts'
import { parseRequest } from '#src/lib/domain/scaffold/request.ts'
import type { RunnerEvent } from '#src/lib/domain/scaffold/runner.ts'
import { createScaffold } from '#src/lib/domain/scaffold/scaffold.ts'
import { AppName, RepositoryPath, type RunId, secretPath, TeamName } from '#src/lib/names.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { GITOPS, path, template, TEMPLATES } from '#tests/support/portal.ts'

const ANN = {
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
} as const
const EMPTY_CATALOG = {
  ok: true,
  value: { value: { byRef: new Map() } },
} as unknown as CatalogRead
const SECRETS = secretPath(TeamName.of('payments'), AppName.of('shop'), 'dev')

/** Scaffolding on real parts, whose ports can be made to misbehave and whose clock can be put forward. */
async function open({ leaseMs = 300 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-runner-'))
  const gitHost = createLocalGitHost({ directory: join(directory, 'git'), publicUrl: 'http://x' })
  for (const [id, content] of [
    [GITOPS, { 'README.md': 'gitops' }],
    [
      TEMPLATES,
      {
        'templates/service/template.yaml': template('service'),
        'templates/service/skeleton/README.md': '# {{ values.appName }}\n',
        'templates/service/skeleton/main.ts': 'serve()\n',
      },
    ],
  ] as const) {
    const made = await gitHost.createRepository(id, {
      description: '',
      marker: 'test',
      message: 'First',
      author: { name: 'A', email: 'a@a.example' },
      files: Object.entries(content).map(([name, text]) => ({
        kind: 'write',
        path: path(name),
        bytes: new TextEncoder().encode(text),
      })),
    })
    if (!made.ok) throw new Error(made.error.kind)
  }
  const database = await openDatabase('sqlite::memory:')
  if (!database.ok) throw new Error(database.error.reason)
  const ports = {
    gitHost: { ...gitHost },
    secretStore: createFileSecretStore({
      directory: join(directory, 'secrets'),
      keyring: ephemeralKeyring(),
    }),
  }
  const { runs } = database.value
  const logged: RunnerEvent[] = []
  let ahead = 0
  const clock = { now: () => Date.now() + ahead }
  const create = () =>
    createScaffold({
      ports,
      store: runs,
      catalog: { read: () => EMPTY_CATALOG },
      gitopsRepository: GITOPS,
      templatesRepository: TEMPLATES,
      catalogDirectory: RepositoryPath.of('catalog'),
      clock,
      log: (event) => void logged.push(event),
      leaseMs,
      platformGroup: 'platform-team',
      imageRegistry: 'ghcr.io/acme',
      tenantAppApiVersion: 'platform.example.org/v1alpha1',
    })
  const scaffold = create()

  return {
    scaffold,
    create,
    ports,
    gitHost,
    runs,
    logged,
    clock,
    directory,
    advance: (ms: number) => void (ahead += ms),
    /** Asks for a project without anybody working on it. */
    async submit() {
      const request = parseRequest({
        templateId: 'service',
        appName: 'shop',
        team: 'payments',
        namespace: 'payments',
      })
      if (!request.ok) throw new Error('the request is wrong')
      const run = await scaffold.submit(ANN, request.value, null)
      if (!run.ok) throw new Error(run.error.kind)
      return run.value.id
    },
    async story(id: RunId) {
      const events = await runs.events(id, 0)
      if (!events.ok) throw new Error(events.error.reason)
      return events.value.map(({ event, data }) => {
        const { step, status, code } = JSON.parse(data) as Record<string, string>
        return event === 'step'
          ? `${step} ${status}`
          : code === undefined
            ? event
            : `${event} ${code}`
      })
    },
    async [Symbol.asyncDispose]() {
      await scaffold.close()
      await database.value.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

type Fixture = Awaited<ReturnType<typeof open>>

/** The last event of a run, when it has ended. */
async function ended({ scaffold }: Fixture, id: RunId) {
  const all = await Array.fromAsync(scaffold.follow(id, 0, AbortSignal.timeout(5_000)))
  const last = all.at(-1)
  return last && { event: last.event, data: JSON.parse(last.data) as Record<string, unknown> }
}

describe('runs that somebody left', () => {
  test('are found when their lease is over, without being told of', async () => {
    await using fixture = await open()
    const { runs, scaffold, clock } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    await runs.claim({ holder: 'dead', until: clock.now() + 400 }, clock.now())
    const other = fixture.create()
    other.start()
    await Bun.sleep(100)
    expect(await fixture.story(id)).toStrictEqual([])
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('are given up when every try ends the process, and can be tried again', async () => {
    await using fixture = await open()
    const { runs, scaffold, clock } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    for (let crash = 0; crash < 5; crash++) {
      await runs.claim({ holder: `dead-${crash}`, until: clock.now() }, clock.now())
    }
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({
      event: 'failed',
      data: { code: 'run_interrupted', retryable: true },
    })
    expect(await other.retry(ANN, id)).toMatchObject({ ok: true })
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('are given back by a process that is to end, after the step at work', async () => {
    await using fixture = await open({ leaseMs: 60_000 })
    const { scaffold, ports, gitHost } = fixture
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    ports.gitHost.createRepository = async (...args) => {
      reached.resolve()
      await goOn.promise
      return gitHost.createRepository(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    await reached.promise
    scaffold.drain()
    goOn.resolve()
    await scaffold.close()
    expect(await fixture.story(id)).toStrictEqual([
      'create_repo in_progress',
      'create_repo complete',
    ])
    // The lease is a minute: only a run that was given back is claimed at once.
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('are nobody’s who slept past the lease: nothing is made any more', async () => {
    await using fixture = await open({ leaseMs: 60_000 })
    const { scaffold, ports, gitHost, runs, clock, logged } = fixture
    ports.gitHost.head = async (...args) => {
      const [repository] = args
      const isLastStep =
        repository === GITOPS &&
        (await readdir(join(fixture.directory, 'git/acme'))).includes('shop.git')
      if (isLastStep) {
        // Another process takes over while this one sleeps.
        fixture.advance(120_000)
        await runs.claim({ holder: 'awake', until: clock.now() + 60_000 }, clock.now())
      }
      return gitHost.head(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    while (!logged.some(({ kind }) => kind === 'run_lost')) await Bun.sleep(5)
    expect((await fixture.story(id)).at(-1)).toBe('open_gitops_pr in_progress')
    expect(await gitHost.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  })

  test('are removed ninety days after they ended', async () => {
    await using fixture = await open()
    const { scaffold } = fixture
    scaffold.start()
    const id = await fixture.submit()
    await ended(fixture, id)
    for (const [days, found] of [
      [89, true],
      [2, false],
    ] as const) {
      fixture.advance(days * 86_400_000)
      const later = fixture.create()
      later.start()
      await Bun.sleep(20)
      await later.close()
      expect((await scaffold.find(ANN, id)).ok).toBe(found)
    }
  })
})

describe('a step', () => {
  test('sees that files of the template are missing, whatever the host said', async () => {
    await using fixture = await open()
    const { scaffold, ports, gitHost } = fixture
    ports.gitHost.createRepository = (repository, request) =>
      gitHost.createRepository(repository, { ...request, files: request.files.slice(0, 1) })
    scaffold.start()
    const id = await fixture.submit()
    expect(await ended(fixture, id)).toMatchObject({
      event: 'failed',
      data: { step: 'push_template', code: 'git_host_error' },
    })
  })

  test('that somebody was quicker than has its secret entry all the same', async () => {
    await using fixture = await open()
    const { scaffold, ports } = fixture
    const store = { ...ports.secretStore }
    ports.secretStore.merge = async (...args) => {
      await store.merge(SECRETS, 0, { THEIRS: 'x' })
      return store.merge(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(await store.describe(SECRETS)).toMatchObject({ value: { keys: ['THEIRS'], version: 1 } })
  })

  test('that throws is a failure with a code and nothing else', async () => {
    await using fixture = await open()
    const { scaffold, ports, logged } = fixture
    ports.secretStore.describe = async () => {
      throw new Error('canary')
    }
    scaffold.start()
    const id = await fixture.submit()
    const last = await ended(fixture, id)
    expect(last).toMatchObject({
      event: 'failed',
      data: { code: 'internal_error', retryable: true },
    })
    expect(JSON.stringify(last)).not.toContain('canary')
    expect(logged.map(({ kind }) => kind)).toContain('unexpected')
  })
})
