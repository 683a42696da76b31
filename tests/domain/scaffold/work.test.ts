import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createRunActors } from '#src/lib/domain/scaffold/run-actors.ts'
import { createRunRecords } from '#src/lib/domain/scaffold/on-record.ts'
import { workOn } from '#src/lib/domain/scaffold/work.ts'
import type { StepPorts } from '#src/lib/domain/scaffold/steps/step.ts'
import type { RunEntry, RunLeases } from '#src/lib/ports/database/run-leases.ts'
import { err, ok } from '#src/lib/result.ts'
import { claimRun } from '#tests/support/claim-run.ts'
import { GITOPS, TEMPLATES } from '#tests/support/portal.ts'
import { ANN, BY_ANN, ended, type Fixture, openScaffold } from './open-scaffold.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { commitFiles } from '#tests/support/commit-files.ts'

const never = new AbortController().signal

/** A write of the journal in a few words. */
function wordsOf({ events }: RunEntry): string {
  const [first] = events
  if (first === undefined) return 'note'
  const { step, status } = JSON.parse(first.data) as Record<string, string>
  return step === undefined || status === undefined ? first.event : `${step} ${status}`
}

/** Works on a new run, and tells what was written and done, in order. One write can find the run to be another's. */
async function work(fixture: Fixture, { refused = 0, templateId = 'service' } = {}) {
  const { scaffold, options, ports, gitHost, runs, clock } = fixture
  scaffold.drain()
  const id = await fixture.submit({ templateId })
  const claimed = await claimRun(runs, 'us')
  if (claimed === null) throw new Error('there is nothing to work on')

  const trace: string[] = []
  const told = { changes: 0, listings: 0, readings: 0 }
  const tracing: StepPorts = {
    ...ports,
    gitHost: {
      ...ports.gitHost,
      createRepository(...args) {
        trace.push('createRepository')
        return gitHost.createRepository(...args)
      },
      commit(...args) {
        trace.push('commit')
        return gitHost.commit(...args)
      },
      openPullRequest(...args) {
        trace.push('openPullRequest')
        return gitHost.openPullRequest(...args)
      },
      listFiles(...args) {
        if (args[0] === TEMPLATES) told.listings += 1
        return gitHost.listFiles(...args)
      },
      readFiles(...args) {
        if (args[0] === TEMPLATES) told.readings += 1
        return gitHost.readFiles(...args)
      },
    },
    secretStore: {
      ...ports.secretStore,
      merge(...args) {
        trace.push('merge')
        return ports.secretStore.merge(...args)
      },
      label(...args) {
        trace.push('label')
        return ports.secretStore.label(...args)
      },
    },
  }
  let writes = 0
  const append: RunLeases['append'] = async (run, holder, write) => {
    trace.push(wordsOf(write))
    writes += 1
    return writes === refused ? ok(false) : runs.append(run, holder, write)
  }
  const wakeFollowers = () => void (told.changes += 1)
  await workOn(
    {
      ...options,
      ports: tracing,
      gitHost: tracing.gitHost,
      store: { ...runs, append },
      wakeFollowers,
      actors: createRunActors(clock),
      records: createRunRecords(options.audit),
    },
    claimed,
    'us',
    never,
  )
  return { id, trace, writes, told }
}

const WHOLE = [
  'create_repo in_progress',
  'note',
  'createRepository',
  'create_repo complete',
  'push_template in_progress',
  'push_template complete',
  'create_secret in_progress',
  'note',
  'merge',
  'note',
  'label',
  'create_secret complete',
  'open_gitops_pr in_progress',
  'note',
  'commit',
  'note',
  'openPullRequest',
  'open_gitops_pr complete',
  'done',
]
const EFFECTS = ['createRepository', 'merge', 'label', 'commit', 'openPullRequest']
const WRITES = WHOLE.filter((each) => !EFFECTS.includes(each)).length

describe('work on a run', () => {
  test('is written before each effect and after it, and each write is told', async () => {
    await using fixture = await openScaffold()
    const { trace, writes, told, id } = await work(fixture)
    expect(trace).toStrictEqual(WHOLE)
    expect({ writes, changes: told.changes }).toStrictEqual({ writes: WRITES, changes: WRITES })
    expect(fixture.logged).toStrictEqual([
      { kind: 'run_ended', run: id, code: 'complete', attempts: 1 },
    ])
  })

  test('makes what its own template has, and says in the pull request what it made', async () => {
    await using fixture = await openScaffold()
    await work(fixture)
    const bare = join(fixture.directory, 'git/acme/shop.git')
    const readme = await Bun.$`git --git-dir=${bare} show main:README.md`.quiet().text()
    expect(readme).toBe('# shop\n')
    const pulls = valueOf(await fixture.gitHost.findPullRequests(GITOPS, {}))
    expect([...(await fixture.ports.requesters.of(pulls)).values()]).toStrictEqual([
      { subject: 'ann', name: 'Ann' },
    ])
    expect(pulls.map(({ body }) => body)).toStrictEqual([
      expect.stringContaining('- Repository: http://x/'),
    ])
  })

  test.each([
    ['service', 'is the built-in one', 'xtenant-app.yaml', ['definitions', 'skeleton']],
    ['another', 'is the template’s own', 'own.yaml', ['definitions', 'skeleton', 'base']],
  ])('renders %s once, whose base %s', async (templateId, _, file, readings) => {
    await using fixture = await openScaffold()
    const { told } = await work(fixture, { templateId })
    expect(told).toMatchObject({ listings: 1, readings: readings.length })
    const bare = join(fixture.directory, 'git/acme/gitops.git')
    const tree = ['ls-tree', '--name-only', 'scaffold/payments/shop:apps/payments/shop/base']
    const files = await Bun.$`git --git-dir=${bare} ${tree}`.quiet().text()
    expect(files.trim().split('\n')).toStrictEqual(['kustomization.yaml', file].toSorted())
  })

  test('stops at whatever write finds the run to be another’s', async () => {
    for (let refused = 1; refused <= WRITES; refused++) {
      await using fixture = await openScaffold()
      const { id, trace, writes, told } = await work(fixture, { refused })
      expect(trace).toStrictEqual(WHOLE.slice(0, trace.length))
      expect(EFFECTS).not.toContain(trace.at(-1) ?? '')
      expect({ writes, changes: told.changes }).toStrictEqual({
        writes: refused,
        changes: refused - 1,
      })
      expect(fixture.logged).toStrictEqual([
        { kind: 'run_lost', run: id, reason: 'held by another' },
      ])
    }
  })
})

describe('a try that fails', () => {
  test('is told as the end of its step and of the run, and is logged with its reason', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, logged } = fixture
    const failure = { kind: 'git_denied', what: 'contents: write on acme/shop' } as const
    ports.gitHost.createRepository = async () => err(failure)
    scaffold.start()
    const id = await fixture.submit()
    await ended(fixture, id)
    expect(await fixture.story(id)).toStrictEqual([
      'create_repo in_progress',
      'create_repo failed',
      'failed git_host_error',
    ])
    expect(logged).toStrictEqual([
      { kind: 'step_failed', run: id, step: 'create_repo', failure },
      { kind: 'run_ended', run: id, code: 'git_host_error', attempts: 1 },
    ])
  })

  test('is gone on with at its step, on the branch that it made, whatever has changed', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, gitHost } = fixture
    ports.gitHost.openPullRequest = async () => err({ kind: 'git_denied', what: 'pull requests' })
    scaffold.start()
    const id = await fixture.submit({ features: { externalSecrets: false } })
    expect(await ended(fixture, id)).toMatchObject({ event: 'failed' })
    const first = await fixture.story(id)

    valueOf(await commitFiles(gitHost, GITOPS, { theirs: '' }))
    ports.gitHost.openPullRequest = (...args) => gitHost.openPullRequest(...args)
    ports.gitHost.listFiles = async (repository, place) =>
      repository === TEMPLATES
        ? err({ kind: 'git_not_found', what: 'commit' })
        : gitHost.listFiles(repository, place)
    await scaffold.retry(BY_ANN, id)
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect((await fixture.story(id)).slice(first.length)).toStrictEqual([
      'open_gitops_pr in_progress',
      'open_gitops_pr complete',
      'done',
    ])
    expect(await scaffold.find(ANN, id)).toMatchObject({
      value: { state: { failed: null, steps: { create_secret: { status: 'skipped' } } } },
    })
  })

  test('for want of its template', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, gitHost } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    ports.gitHost.listFiles = async (repository, place) =>
      repository === TEMPLATES
        ? err({ kind: 'git_not_found', what: 'commit' })
        : gitHost.listFiles(repository, place)
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({
      event: 'failed',
      data: { code: 'template_not_found', retryable: false },
    })
    await other.close()
  })
})
