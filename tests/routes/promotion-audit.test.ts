import { describe, expect, test } from 'bun:test'
import type { Audit } from '#src/lib/domain/audit/audit.ts'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal, type TestPortal } from '#tests/support/portal.ts'
import {
  auditOf,
  CLIENT,
  confirm,
  endOfMove,
  ENTITY,
  git,
  openShop,
  OVERLAY,
  preview,
  promote,
} from '#tests/support/promotion.ts'

const AWAY = err({ kind: 'database_unavailable', reason: 'on demand' } as const)
const DEV_OVERLAY = { [`${OVERLAY}/dev/kustomization.yaml`]: 'resources: [../../base]\n' }

describe('the audit', () => {
  test('has every decision and effect, allowed and denied', async () => {
    await using portal = await openShop()
    await promote(portal, 'staging', {}, 'dev')
    await promote(portal, 'development', {}, 'dev')
    await portal.merge(1)
    await confirm(portal, 'dev')
    await confirm(portal, 'dev')
    const rows = await auditOf(portal)
    expect(rows.map(({ action, result, code }) => [action, result, code])).toStrictEqual([
      ['promotion.propose', 'denied', 'forbidden'],
      ['promotion.propose', 'done', null],
      ['promotion.confirm', 'done', null],
      ['promotion.confirm', 'allowed', null],
    ])
    expect(rows.map(({ address }) => address)).toStrictEqual(Array(4).fill(CLIENT))
    expect(rows.at(-1)?.groups).toStrictEqual(['payments'])
  })

  test('has what was written to the secret store, also when nothing came of it', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.commit = async () => err({ kind: 'git_denied', what: 'contents: write' })
    const wish = { secrets: { B: 'canary', A: 'canary' } }
    await promote(portal, 'development', wish)
    portal.git.commit = (...args) => host.commit(...args)
    await promote(portal, 'development', wish)

    const rows = await auditOf(portal)
    const asked = {
      target: 'development',
      secretPath: 'payments/shop/dev/env',
      secretKeys: ['A', 'B'],
    }
    expect(
      rows.map(({ action, result, code, details }) => [action, result, code, details]),
    ).toMatchObject([
      [
        'promotion.propose',
        'failed',
        'git_denied',
        { ...asked, secretVersion: 1, secretsChanged: true },
      ],
      [
        'promotion.propose',
        'done',
        null,
        { ...asked, secretVersion: 1, secretsChanged: false, pullRequest: 1 },
      ],
    ])
    expect(JSON.stringify(rows)).not.toContain('canary')
  })

  test('and when that cannot be put on record, it goes no further', async () => {
    await using portal = await openShop()
    const audit = portal.portal.audit as { decide: Audit['decide'] }
    const { decide } = audit
    audit.decide = (actor) => ({ ...decide(actor), note: async () => AWAY })
    expect(await promote(portal, 'development', { secrets: { A: 'a' } })).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable' },
    })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['failed', 'database_unavailable']])
  })

  test('has why an entity could not be changed', async () => {
    const files = applicationFiles()
    const entity = String(files[ENTITY]).replace('lifecycle: ', 'lifecycle: &anchor ')
    await using portal = await openPortal({
      files: { ...files, [ENTITY]: entity, ...DEV_OVERLAY },
    })
    expect(await confirm(portal)).toMatchObject({
      status: 409,
      body: { code: 'entity_not_editable' },
    })
    expect(await promote(portal, 'deprecated')).toMatchObject({
      body: { code: 'entity_not_editable' },
    })
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([
      ['denied', 'entity_not_editable'],
      ['denied', 'entity_not_editable'],
    ])
  })

  test('has one row for a request that loses races', async () => {
    await using portal = await readyToConfirm()
    const host = { ...portal.git }
    let races = 2
    portal.git.commit = async (repository, request) =>
      races-- > 0
        ? err({ kind: 'git_conflict', branch: request.branch })
        : host.commit(repository, request)
    expect((await confirm(portal)).status).toBe(200)
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['done', null]])
  })

  test('has one row for a move that goes on after many lost races', async () => {
    await using portal = await readyToConfirm()
    const host = { ...portal.git }
    portal.git.commit = async (_, { branch }) => err({ kind: 'git_conflict', branch })
    const waiting = await confirm(portal)
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['started', null]])
    portal.git.commit = (...args) => host.commit(...args)
    expect(await endOfMove(portal, waiting)).toMatchObject({ outcome: { status: 'confirmed' } })
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['done', null]])
  })

  test('has the outcome of a move once, however often it cannot be planned meanwhile', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.openPullRequest = async () => err({ kind: 'git_host_timeout' })
    const waiting = await promote(portal, 'development')
    portal.git.openPullRequest = (...args) => host.openPullRequest(...args)
    let failures = 1
    portal.git.listBranches = async (...args) =>
      failures-- > 0 ? err({ kind: 'git_host_timeout' }) : host.listBranches(...args)
    expect(await endOfMove(portal, waiting)).toMatchObject({ outcome: { status: 'pr_open' } })
    expect(failures).toBeLessThan(1)
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['done', null]])
  })

  test('has one for a race that is lost to whoever takes the right away', async () => {
    await using portal = await readyToConfirm()
    portal.git.commit = async (_, { branch }) => {
      portal.git.failWith = 'git_host_unreachable'
      return err({ kind: 'git_conflict', branch })
    }
    expect((await confirm(portal)).status).toBe(503)
    portal.git.failWith = undefined
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['failed', 'git_host_unreachable']])
  })

  test('has one row for a bug that comes after a lost race', async () => {
    await using portal = await readyToConfirm()
    portal.git.commit = async (_, { branch }) => {
      portal.git.findPullRequests = () => Promise.reject(new Error('a bug'))
      return err({ kind: 'git_conflict', branch })
    }
    expect((await confirm(portal)).status).toBe(500)
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['failed', 'internal_error']])
  })

  test('has no row for an allowed preview, and one for a denied one', async () => {
    await using portal = await openShop()
    expect((await preview(portal, 'development')).status).toBe(200)
    await promote(portal, 'staging', {}, 'dev', '?dryRun=true')
    expect(await auditOf(portal)).toMatchObject([
      { action: 'promotion.propose', code: 'forbidden', details: { dryRun: true } },
    ])
  })

  test.each([
    ['confirm', readyToConfirm, (portal: TestPortal) => confirm(portal)],
    ['promotion', openShop, (portal: TestPortal) => promote(portal, 'development')],
  ] as const)('what begins has an end: when a %s stumbles over a bug', async (_, open, act) => {
    await using portal = await open()
    portal.git.commit = () => Promise.reject(new Error('a bug'))
    expect(await act(portal)).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(outcomesOf(await auditOf(portal))).toStrictEqual([['failed', 'internal_error']])
  })
})

const outcomesOf = (rows: Awaited<ReturnType<typeof auditOf>>) =>
  rows.map(({ result, code }) => [result, code])

function readyToConfirm(): Promise<TestPortal> {
  return openPortal({ files: { ...applicationFiles(), ...DEV_OVERLAY } })
}

test('what cannot be put on record is not done', async () => {
  await using portal = await openShop()
  const audit = portal.portal.audit as { decide: Audit['decide'] }
  const { decide } = audit
  audit.decide = (actor) => ({ ...decide(actor), begin: async () => AWAY })
  const refused = { status: 503, body: { code: 'database_unavailable' } }
  expect(await promote(portal, 'development', { secrets: { A: 'a' } })).toMatchObject(refused)
  expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  expect(await portal.secretVersions()).toStrictEqual([])
  await portal.commit(DEV_OVERLAY)
  const before = await git(portal, 'rev-parse', 'main')
  expect(await confirm(portal)).toMatchObject(refused)
  expect(await git(portal, 'rev-parse', 'main')).toBe(before)
})
