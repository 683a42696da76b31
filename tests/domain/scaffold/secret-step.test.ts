import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { nothingMade } from '#src/lib/domain/scaffold/run.ts'
import { createSecret } from '#src/lib/domain/scaffold/steps/create-secret.ts'
import type { StepContext, StepOutcome } from '#src/lib/domain/scaffold/steps/step.ts'
import { RunId } from '#src/lib/names.ts'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { ok } from '#src/lib/result.ts'
import { withOrigins } from '#tests/support/kept-origins.ts'
import { openScaffold, SECRETS } from './open-scaffold.ts'

const OURS = RunId.of(Bun.randomUUIDv7())
const THEIRS = RunId.of(Bun.randomUUIDv7())

const CREATED: StepOutcome = { kind: 'complete', message: `Created ${SECRETS}` }
const SKIPPED: StepOutcome = {
  kind: 'skipped',
  message: `${SECRETS} is there already and stays as it is`,
}

/** The step of one run on a store that keeps origins, with the calls that it makes. */
async function openStep(secretBase: number | null) {
  const fixture = await openScaffold()
  const real = withOrigins(fixture.ports.secretStore, join(fixture.directory, 'origins'))
  const calls: string[] = []
  const secretStore: SecretStore = {
    ...real,
    merge: (...args) => (calls.push('merge'), real.merge(...args)),
    label: (...args) => (calls.push('label'), real.label(...args)),
  }
  const context = {
    runId: OURS,
    secretActor: SERVICE,
    spec: {
      team: 'payments',
      app: 'shop',
      firstEnvironment: 'dev',
      features: { externalSecrets: true },
    },
    made: { ...nothingMade, secretBase },
    note: async (made: object) => {
      calls.push(`note ${JSON.stringify(made)}`)
      return ok(undefined)
    },
  } as unknown as StepContext
  return {
    store: real,
    calls,
    run: () => createSecret.run(context, { ...fixture.ports, secretStore }),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

type Prepare = (store: SecretStore) => Promise<unknown>
const nothing: Prepare = async () => {}
const empty: Prepare = (store) => store.merge(SECRETS, 0, {}, SERVICE)
const labelled =
  (run: RunId | null, values = {}): Prepare =>
  async (store) => {
    await store.merge(SECRETS, 0, values, SERVICE)
    await store.label(SECRETS, { run }, SERVICE)
  }
const filled: Prepare = (store) => store.merge(SECRETS, 0, { KEY: 'value' }, SERVICE)
const twice: Prepare = async (store) => {
  await empty(store)
  await store.merge(SECRETS, 1, {}, SERVICE)
}

describe('the secret entry of a run', () => {
  const NOTED = 'note {"secretBase":0}'
  // prettier-ignore
  test.each([
    ['that is absent is created, then labelled, each right after a note', nothing, null, CREATED, [NOTED, 'merge', 'note {}', 'label']],
    ['that is absent although an earlier attempt noted it is created', nothing, 0, CREATED, [NOTED, 'merge', 'note {}', 'label']],
    ['of an attempt that died before the label is labelled', empty, 0, CREATED, ['note {}', 'label']],
    ['of an attempt that died after the label is complete', labelled(OURS), 0, CREATED, []],
    ['of an attempt that died, and that the team has filled, is complete', labelled(OURS, { KEY: 'value' }), 0, CREATED, []],
    ['that nobody noted is somebody else’s', empty, null, SKIPPED, []],
    ['with keys is somebody else’s', filled, 0, SKIPPED, []],
    ['that was written twice is somebody else’s', twice, 0, SKIPPED, []],
    ['of another run is not ours', labelled(THEIRS), 0, SKIPPED, []],
    ['of a promotion is not ours', labelled(null), 0, SKIPPED, []],
  ] as const)('%s', async (_, prepare, secretBase, outcome, calls) => {
    await using step = await openStep(secretBase)
    await prepare(step.store)
    expect(await step.run()).toStrictEqual(ok(outcome))
    expect(step.calls).toStrictEqual([...calls])
    const entry = await step.store.describe(SECRETS, SERVICE)
    const isOurs = entry.ok && entry.value.kind === 'present' && entry.value.origin?.run === OURS
    expect(isOurs).toBe(outcome === CREATED)
  })
})
