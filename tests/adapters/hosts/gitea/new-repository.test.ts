import { expect, test } from 'bun:test'
import { BranchName } from '#src/lib/names.ts'
import { AUTHOR, repositoryId, TEAM, value, write } from '#tests/contracts/git-host.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { keepWarnings } from '../warnings.ts'
import { openFake } from './open-gitea.ts'

const repositories = {
  visibility: 'private',
  defaultBranch: BranchName.of('main'),
  topics: [],
  teamPermission: 'push',
} as const
const fresh = repositoryId('acme', 'fresh')
const request = {
  description: 'A service',
  team: TEAM,
  marker: 'run-1',
  files: [write('README.md', 'hello')],
  message: 'Initial commit',
  author: AUTHOR,
}

/** A server with or without the owning team, and the warnings of the adapter. */
async function openWith(teams: readonly string[]) {
  const { log, warnings } = keepWarnings()
  const fixture = await openFake(undefined, { repositories, log })
  const { gitea } = fixture
  const organization = gitea.state.account('acme')
  if (organization === undefined) throw new Error('no organization')
  for (const name of teams) gitea.state.teams.push({ id: gitea.state.nextId(), name, organization })
  // The repository of the fixture has no team either.
  warnings.length = 0
  return { ...fixture, warnings }
}

test('the owning team is added to its new repository', async () => {
  await using fixture = await openWith([TEAM])
  value(await fixture.host.createRepository(fresh, request))
  const told = await ask(fixture.server, 'GET', '/repos/acme/fresh/teams')
  expect(told.at('name')).toStrictEqual([String(TEAM)])
  expect(fixture.warnings).toStrictEqual([])
})

test.each([
  ['there is none', 404, []],
  ['the account of the token is no owner of the organisation', 403, [TEAM]],
])('a repository is complete without its team: %s', async (_, status, teams) => {
  await using fixture = await openWith(teams)
  if (status === 403) {
    const body = { message: 'user is nor repo admin nor owner' }
    fixture.gitea.fail({ on: 'repoAddTeam', fault: { kind: 'answer', status, body } })
  }
  const { head } = value(await fixture.host.createRepository(fresh, request))
  expect(await fixture.host.head(fresh)).toStrictEqual({ ok: true, value: head })
  expect(fixture.warnings).toMatchObject([{ repository: 'acme/fresh', team: TEAM, status }])
})

test('a public repository is private until it is complete', async () => {
  await using fixture = await openFake(undefined, {
    repositories: { ...repositories, visibility: 'public', teamPermission: null },
  })
  const { host, gitea, server } = fixture
  const isPrivate = async () => (await ask(server, 'GET', '/repos/acme/fresh')).at('private')
  gitea.fail({ on: 'repoEdit', fault: { kind: 'answer', status: 500, body: 'broken' } })
  expect((await host.createRepository(fresh, request)).ok).toBe(false)
  expect(await isPrivate()).toBe(true)
  value(await host.createRepository(fresh, request))
  expect(await isPrivate()).toBe(false)
})
