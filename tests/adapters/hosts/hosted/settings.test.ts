import { expect, test } from 'bun:test'
import { hostedSettings } from '#src/lib/adapters/hosts/hosted/settings.ts'
import { readSettings } from '#src/lib/settings/setting.ts'

const read = (environment: Readonly<Record<string, string>>) =>
  readSettings(hostedSettings, { environment, readFile: () => '' })

test('without settings, repositories are private and on main', () => {
  expect(read({})).toStrictEqual({
    ok: true,
    value: {
      GIT_SIGNING_KEY_FILE: null,
      REPOSITORY_VISIBILITY: 'private',
      REPOSITORY_TOPICS: [],
      REPOSITORY_DEFAULT_BRANCH: 'main',
      REPOSITORY_TEAM_PERMISSION: null,
      PULL_REQUEST_LABELS: [],
      PULL_REQUEST_REVIEWERS: [],
    },
  } as never)
})

test('reviewers are people and teams', () => {
  const settings = read({ PULL_REQUEST_REVIEWERS: 'ada, team:platform' })
  expect(settings.ok && settings.value.PULL_REQUEST_REVIEWERS).toStrictEqual([
    { kind: 'person', name: 'ada' },
    { kind: 'team', name: 'platform' },
  ])
})

test.each([
  ['REPOSITORY_VISIBILITY', 'secret'],
  ['REPOSITORY_TOPICS', 'Portico'],
  ['REPOSITORY_TOPICS', `ok,${'a'.repeat(36)}`],
  ['REPOSITORY_DEFAULT_BRANCH', 'a..b'],
  ['REPOSITORY_TEAM_PERMISSION', 'write'],
  ['PULL_REQUEST_LABELS', 'a'.repeat(51)],
  ['PULL_REQUEST_LABELS', 'a\u0007'],
  ['PULL_REQUEST_REVIEWERS', 'team:../x'],
  ['PULL_REQUEST_REVIEWERS', '@ada'],
])('%s refuses %p', (variable, text) => {
  const settings = read({ [variable]: text })
  expect(settings.ok ? [] : settings.error.map((mistake) => mistake.variable)).toStrictEqual([
    variable,
  ])
})
