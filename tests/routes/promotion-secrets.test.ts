import { describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal } from '#tests/support/portal.ts'
import { endOfMove, auditOf, git, openShop, preview, promote } from '#tests/support/promotion.ts'
import { openFolder } from '#tests/support/open-folder.ts'

describe('secrets', () => {
  const canary = 'canary-5f1d'

  test('are merged, never lost, never written over unasked, and nowhere but in the store', async () => {
    await using portal = await openShop()
    const first = await promote(portal, 'development', { secrets: { A: canary, B: canary } })
    expect(first.body['secrets']).toStrictEqual({
      path: 'payments/shop/dev/env',
      keys: ['A', 'B'],
      version: 1,
    })
    // The same again is no clash: it was this that wrote them.
    const again = await promote(portal, 'development', { secrets: { A: canary, B: canary } })
    expect(again).toMatchObject({ status: 200, body: { secrets: { version: 1 } } })
    const clash = await promote(portal, 'development', { secrets: { A: 'x', C: 'x' } })
    expect(clash).toMatchObject({ status: 409, body: { code: 'secret_exists', keys: ['A'] } })
    const dry = await preview(portal, 'development', { secrets: { A: 'x', C: 'x' } })
    expect(dry).toMatchObject({ status: 409, body: { code: 'secret_exists', keys: ['A'] } })
    expect((await auditOf(portal)).slice(-2)).toMatchObject([
      { result: 'denied', code: 'secret_exists' },
      { result: 'denied', code: 'secret_exists', details: { dryRun: true } },
    ])
    const more = await promote(portal, 'development', { secrets: { C: canary } })
    expect(more.body['secrets']).toMatchObject({ version: 2 })
    const over = await promote(portal, 'development', {
      secrets: { A: `${canary}-2` },
      overwriteSecrets: true,
    })
    expect(over.body['secrets']).toMatchObject({ version: 3 })

    expect(portal.logged.join('\n')).not.toContain(canary)
    const audit = await portal.request('/api/v1/audit', { as: 'platform' })
    const trail = await audit.text()
    expect(trail).toContain('secretKeys')
    expect(trail).not.toContain(canary)
    const everything = await Bun.$`grep -rc ${canary} ${portal.directory}`.quiet().nothrow().text()
    expect(everything.split('\n').filter((line) => /:[1-9]/.test(line))).toStrictEqual([])
    const objects = await git(portal, 'cat-file', '--batch-all-objects', '--batch')
    expect(objects).not.toContain(canary)
  })

  test('two that write the same new key at once: one does, the other is told', async () => {
    await using portal = await openShop()
    await portal.signIn('platform')
    await portal.signIn('manager')
    const answers = await Promise.all([
      promote(portal, 'development', { secrets: { K: 'one' } }, 'platform'),
      promote(portal, 'development', { secrets: { K: 'two' } }, 'manager'),
    ])
    const codes = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(codes).toStrictEqual([201, 409])
  })

  test('a git host that fails after the secrets were written: the move goes on by itself', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    let failures = 2
    portal.git.commit = async (...args) =>
      failures-- > 0 ? err({ kind: 'git_host_timeout' }) : host.commit(...args)
    const waiting = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(await endOfMove(portal, waiting)).toMatchObject({
      status: 'complete',
      outcome: { status: 'pr_open', prNumber: 1 },
    })
    const again = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(again).toMatchObject({
      status: 200,
      body: { branch: 'promote/payments/shop/dev', secrets: { version: 1 } },
    })
  })
})

test('digests of secrets are sealed with keys of their own, not with those of sessions', async () => {
  await using place = await openFolder()
  const file = join(place.path, 'portico.sqlite')
  await using portal = await openPortal({
    files: applicationFiles(),
    databaseUrl: `sqlite:${file}`,
  })
  await promote(portal, 'development', { secrets: { A: 'a' } })
  using database = new Database(file, { readonly: true })
  const keyIds = (table: string) => database.query(`SELECT key_id FROM ${table}`).values().flat()
  expect(keyIds('secret_write')).toStrictEqual(['digests'])
  expect(new Set(keyIds('session'))).toStrictEqual(new Set(['ephemeral']))
})
