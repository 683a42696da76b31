import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { parseRepositoryId, TeamName } from '#src/lib/names.ts'
import type { GitFailure, GitHost, RepositoryUses } from '#src/lib/ports/git-host.ts'
import { fails } from '#src/lib/ports/connection-finding.ts'
import { err } from '#src/lib/result.ts'
import {
  checkRepositories,
  type RepositoriesToCheck,
} from '#src/compose/connections/repositories.ts'
import { GITOPS, path } from '#tests/support/portal.ts'

const repository = (name: string) => {
  const id = parseRepositoryId(name)
  if (id === undefined) throw new Error(name)
  return id
}

async function openHost() {
  const directory = await mkdtemp(join(tmpdir(), 'portico-repositories-'))
  const local = createLocalGitHost({ directory, publicUrl: 'http://portal.test' })
  const gitHost: GitHost = { ...local, check: async () => [] }
  const create = async (name: string) => {
    const created = await gitHost.createRepository(repository(name), {
      description: name,
      team: TeamName.of('platform'),
      marker: 'test',
      message: 'First commit',
      author: { name: 'Ann', email: 'ann@acme.example' },
      files: [{ kind: 'write', path: path('catalog/a.yaml'), bytes: new Uint8Array(1) }],
    })
    if (!created.ok) throw new Error(created.error.kind)
  }
  const check = (changes: Partial<RepositoriesToCheck> = {}) =>
    checkRepositories({
      gitHost,
      gitops: GITOPS,
      catalogDirectory: path('catalog'),
      filesMax: 10,
      templates: repository('acme/templates'),
      isEmbedded: false,
      isTemplatesGiven: false,
      cli: null,
      ...changes,
    })
  return {
    gitHost,
    create,
    check,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

test('repositories that are there, with the branch that is read', async () => {
  await using host = await openHost()
  await host.create('acme/gitops')
  await host.create('acme/templates')
  expect(await host.check()).toStrictEqual([
    {
      ok: true,
      text: 'The catalog is the folder catalog of acme/gitops (branch main), with 1 file.',
    },
    { ok: true, text: 'Templates come from acme/templates (branch main).' },
  ])
})

test('a repository that is not there is named with its setting', async () => {
  await using host = await openHost()
  const reason = 'the git host has no such repository, or our credentials do not show it'
  expect(await host.check({ isTemplatesGiven: true, cli: repository('acme/cli') })).toStrictEqual([
    { ok: false, text: `acme/gitops (GITOPS_REPOSITORY) cannot be read: ${reason}.` },
    { ok: false, text: `acme/templates (TEMPLATES_REPOSITORY) cannot be read: ${reason}.` },
    { ok: false, text: `acme/cli (CLI_REPOSITORY) cannot be read: ${reason}.` },
  ])
})

test('at the embedded host the first repository is one that somebody makes', async () => {
  await using host = await openHost()
  expect(await host.check({ isEmbedded: true })).toStrictEqual([
    {
      ok: false,
      text: 'There is no acme/gitops (GITOPS_REPOSITORY) yet: make it in Repositories, New repository.',
    },
  ])
})

test('a templates repository that nobody asked for may be missing', async () => {
  await using host = await openHost()
  await host.create('acme/gitops')
  expect((await host.check()).at(-1)).toStrictEqual({
    ok: true,
    text: 'There is no repository acme/templates: nobody can start a project from a template. TEMPLATES_REPOSITORY can name another one.',
  })
})

test('a catalog folder that does not exist, and a client without a release', async () => {
  await using host = await openHost()
  await host.create('acme/gitops')
  await host.create('acme/cli')
  const findings = await host.check({
    catalogDirectory: path('entities'),
    cli: repository('acme/cli'),
  })
  expect(findings.filter(({ ok }) => !ok).map(({ text }) => text)).toStrictEqual([
    'There is no catalog: the folder entities of acme/gitops (branch main) does not exist. CATALOG_DIRECTORY must name the folder.',
    'acme/cli (CLI_REPOSITORY) has no release to download.',
  ])
})

test('the rights of our credentials, as the git host tries them, are part of the report', async () => {
  await using host = await openHost()
  await host.create('acme/gitops')
  const asked: RepositoryUses[] = []
  const gitHost: GitHost = {
    ...host.gitHost,
    async check(uses) {
      asked.push(uses)
      return [fails('contents: write on acme/gitops is missing')]
    },
  }
  const cli = repository('acme/cli')
  const findings = await host.check({ gitHost, cli })
  expect(findings).toContainEqual(fails('contents: write on acme/gitops is missing'))
  const templates = repository('acme/templates')
  expect(asked).toStrictEqual([{ gitops: GITOPS, templates, cli, owners: [GITOPS.owner] }])
})

// prettier-ignore
test.each<[GitFailure, string]>([
  [{ kind: 'git_host_unreachable' },                        'the git host cannot be reached'],
  [{ kind: 'git_host_unreachable', reason: 'https://git.test answered with 502' }, 'the git host cannot be reached: https://git.test answered with 502'],
  [{ kind: 'git_host_timeout' },                            'the git host does not answer in time'],
  [{ kind: 'git_denied', what: 'contents' },                'the git host refuses it: contents'],
  [{ kind: 'git_rate_limited', retryAfterSeconds: 60 },    'the git host takes no request for 60 s, because of its rate limit'],
  [{ kind: 'git_not_found', what: 'branch' },               'it has no commit on its default branch'],
])('a git host that fails: %p', async (failure, reason) => {
  await using host = await openHost()
  const gitHost = {
    head: async () => err(failure),
    listFiles: async () => err(failure),
    releases: { list: async () => err(failure), openAsset: async () => err(failure) },
    check: async () => [],
  } satisfies Pick<GitHost, 'head' | 'listFiles' | 'releases' | 'check'>
  expect((await host.check({ gitHost }))[0]).toStrictEqual({
    ok: false,
    text: `acme/gitops (GITOPS_REPOSITORY) cannot be read: ${reason}.`,
  })
})

test.each<GitFailure>([
  { kind: 'git_host_unreachable' },
  { kind: 'git_host_timeout' },
  { kind: 'git_rate_limited', retryAfterSeconds: 60 },
])('an outage is one finding, and no right is tried: %p', async (failure) => {
  await using host = await openHost()
  const gitHost: GitHost = {
    ...host.gitHost,
    head: async () => err(failure),
    check: async () => [fails('the right cannot be tried')],
  }
  const findings = await host.check({ gitHost, isTemplatesGiven: true })
  expect(findings.map(({ text }) => text.split(' ')[0])).toStrictEqual(['acme/gitops'])
})
