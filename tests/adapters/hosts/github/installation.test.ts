import { expect, test } from 'bun:test'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import { createGitHubClient } from '#src/lib/adapters/hosts/github/api/client.ts'
import { openTestGitHub, REPOSITORY } from '#tests/peers/github/open.ts'
import type { Installation } from '#tests/peers/github/state.ts'
import { unpaced } from '#tests/support/write-turns.ts'

const HOUR_MS = 3_600_000

async function open(more: Partial<Installation> = {}) {
  const clock = { nowMs: Date.now(), now: () => clock.nowMs }
  const opened = await openTestGitHub({ flavour: 'ghes-3.17', now: clock.now })
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  opened.github.state.installations.set(42, {
    id: 42,
    appId: 7,
    clientId: 'Iv23portico',
    publicKey: await exportSPKI(publicKey),
    account: opened.repository.owner,
    rights: { contents: 'read', metadata: 'read' },
    repositories: 'all',
    suspended: false,
    ...more,
  })
  const app = { appId: '7', privateKey: await exportPKCS8(privateKey), installationId: 42 }
  const client = createGitHubClient({
    ...unpaced,
    apiUrl: opened.github.apiUrl,
    access: { kind: 'app', app },
    authority: null,
    clock,
    log: { info() {}, warn() {}, error() {} },
    onRateLimit() {},
  })
  const { github } = opened
  return {
    github,
    clock,
    read: async () => {
      const answer = await client.read(`${REPOSITORY}/git/ref/heads/main`)
      return answer.ok ? answer.value.status : answer.error
    },
    tokens: () =>
      [...github.state.credentials.values()].filter(({ kind }) => kind === 'installation').length,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

test('the token of an installation is renewed before its hour is over', async () => {
  await using opened = await open()
  expect([await opened.read(), await opened.read(), opened.tokens()]).toStrictEqual([200, 200, 1])
  opened.clock.nowMs += HOUR_MS - 60_000
  expect([await opened.read(), opened.tokens()]).toStrictEqual([200, 2])
})

test('the token of an installation that was revoked is replaced once', async () => {
  await using opened = await open()
  expect(await opened.read()).toBe(200)
  opened.github.state.credentials.clear()
  expect([await opened.read(), opened.tokens()]).toStrictEqual([200, 1])
})

test('a clock of ours that is a day wrong is no reason to fail', async () => {
  await using opened = await open()
  opened.clock.nowMs += 24 * HOUR_MS
  expect(await opened.read()).toBe(200)
})

test('a suspended installation is git_denied', async () => {
  await using opened = await open({ suspended: true })
  expect(await opened.read()).toStrictEqual({
    kind: 'git_denied',
    what: "the App's installation: This installation has been suspended",
  })
})
