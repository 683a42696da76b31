import { type SecretPath, secretPath } from '../../../names.ts'
import type { PresentEntry } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import type { StepFailure } from '../failure.ts'
import type { Step, StepContext, StepOutcome, StepPorts } from './step.ts'

/** Creates an empty entry for the team to fill, and notes its origin. An entry of somebody else stays as it is. */
export const createSecret: Step = {
  announce: ({ spec: { team, app, firstEnvironment } }) =>
    `Preparing ${secretPath(team, app, firstEnvironment)}`,
  async run(context, ports) {
    const { spec, note, secretActor } = context
    if (!spec.features.externalSecrets) {
      return ok({ kind: 'skipped', message: 'The application wants no external secrets' })
    }
    const { secretStore } = ports
    const path = secretPath(spec.team, spec.app, spec.firstEnvironment)
    const found = await secretStore.describe(path, secretActor)
    if (!found.ok) return found
    if (found.value.kind === 'present') return adopt(context, ports, path, found.value)

    const { version } = found.value
    const held = await note({ secretBase: version })
    if (!held.ok) return held
    const created = await secretStore.merge(path, version, {}, secretActor)
    if (!created.ok) return created.error.kind === 'secret_conflict' ? ok(notOurs(path)) : created
    return label(context, ports, path)
  },
}

/** An earlier attempt of this run may have died between the creation and the label, or after both. */
async function adopt(
  context: StepContext,
  ports: StepPorts,
  path: SecretPath,
  entry: PresentEntry,
): Promise<Result<StepOutcome, StepFailure>> {
  const { runId, made } = context
  if (entry.origin?.run === runId) return ok(createdBy(path))
  const isUntouched =
    entry.origin === null &&
    entry.keys.length === 0 &&
    made.secretBase !== null &&
    entry.version === made.secretBase + 1
  return isUntouched ? label(context, ports, path) : ok(notOurs(path))
}

async function label(
  { runId, note, secretActor }: StepContext,
  { secretStore }: StepPorts,
  path: SecretPath,
): Promise<Result<StepOutcome, StepFailure>> {
  const held = await note({})
  if (!held.ok) return held
  const labelled = await secretStore.label(path, { run: runId }, secretActor)
  return labelled.ok ? ok(createdBy(path)) : labelled
}

const createdBy = (path: SecretPath): StepOutcome => ({
  kind: 'complete',
  message: `Created ${path}`,
})

const notOurs = (path: SecretPath): StepOutcome => ({
  kind: 'skipped',
  message: `${path} is there already and stays as it is`,
})
