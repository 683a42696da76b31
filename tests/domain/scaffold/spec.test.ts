import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ok } from '#src/lib/result.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { readSpec } from '#src/lib/domain/scaffold/spec.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { claimRun } from '#tests/support/claim-run.ts'
import { ended, openScaffold, SECRETS } from './open-scaffold.ts'
import { createScaffold } from '#src/lib/domain/scaffold/scaffold.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'

test('a run keeps the first environment of its request', async () => {
  await using fixture = await openScaffold()
  fixture.scaffold.drain()
  const id = await fixture.submit()
  const pipeline = pipelineOf('qa:quality:member,production:production:manager')
  const later = createScaffold({ ...fixture.options, pipeline })
  later.start()
  expect(await ended({ ...fixture, scaffold: later }, id)).toMatchObject({
    event: 'done',
  })
  await later.close()
  expect(await fixture.ports.secretStore.describe(SECRETS, SERVICE)).toMatchObject(
    ok({ kind: 'present' }),
  )
})

test('a run keeps the owners of its request', async () => {
  await using fixture = await openScaffold()
  fixture.scaffold.drain()
  const { options } = fixture
  const before = createScaffold({ ...options, codeowners: '* @{org}/{team}' })
  before.drain()
  const id = await fixture.submit({}, before)
  const later = createScaffold({ ...options, codeowners: '* @acme/others' })
  later.start()
  expect(await ended({ ...fixture, scaffold: later }, id)).toMatchObject({
    event: 'done',
  })
  await later.close()
  const bare = join(fixture.directory, 'git/acme/shop.git')
  const owners = await Bun.$`git --git-dir=${bare} show main:CODEOWNERS`.quiet().text()
  expect(owners).toBe('* @acme/payments\n')
})

test('a stored spec without a first environment is of a run in dev', async () => {
  await using fixture = await openScaffold()
  fixture.scaffold.drain()
  await fixture.submit()
  const run = await claimRun(fixture.runs, 'us')
  if (run === null) throw new Error('there is no run')
  const stored = JSON.parse(run.request) as Record<string, unknown>
  delete stored['firstEnvironment']
  delete stored['codeowners']
  expect(readSpec(JSON.stringify(stored)).firstEnvironment).toBe(EnvironmentName.of('dev'))
})
