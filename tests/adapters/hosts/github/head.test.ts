import { expect, test } from 'bun:test'
import { value } from '#tests/contracts/git-host.ts'
import { openGitHub } from './open-github.ts'

test('a default branch with another name is found within the minute', async () => {
  await using fixture = await openGitHub()
  const { host, repository, seeded: gitops } = fixture
  value(await host.head(repository))
  await gitops.git.updateReference('refs/heads/trunk', fixture.seed)
  await gitops.git.updateReference('refs/heads/main', null)
  gitops.defaultBranch = 'trunk'
  expect(String(value(await host.head(repository)).branch)).toBe('trunk')
})

test('a new default branch counts after a minute at most', async () => {
  let nowMs = Date.UTC(2026, 0, 1)
  await using fixture = await openGitHub({ peer: { now: () => nowMs } })
  const { host, repository, seeded } = fixture
  const defaultBranch = async () => String(value(await host.head(repository)).branch)
  expect(await defaultBranch()).toBe('main')
  await seeded.git.updateReference('refs/heads/trunk', fixture.seed)
  seeded.defaultBranch = 'trunk'
  nowMs += 59_999
  expect(await defaultBranch()).toBe('main')
  nowMs += 1
  expect(await defaultBranch()).toBe('trunk')
})
