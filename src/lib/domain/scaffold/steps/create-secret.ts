import { secretPath } from '../../../names.ts'
import { SERVICE } from '../../../ports/secret-store.ts'
import { ok } from '../../../result.ts'
import type { Step } from './step.ts'

/** Creates an empty entry for the team to fill. An existing entry stays as it is. */
export const createSecret: Step = {
  announce: ({ spec: { team, app, firstEnvironment } }) =>
    `Preparing ${secretPath(team, app, firstEnvironment)}`,
  async run({ spec, note }, { secretStore }) {
    if (!spec.features.externalSecrets) {
      return ok({ kind: 'skipped', message: 'The application wants no external secrets' })
    }
    const path = secretPath(spec.team, spec.app, spec.firstEnvironment)
    const found = await secretStore.describe(path, SERVICE)
    if (!found.ok) return found
    if (found.value.kind === 'present') {
      return ok({ kind: 'skipped', message: `${path} is there already and stays as it is` })
    }
    const held = await note({})
    if (!held.ok) return held
    const created = await secretStore.merge(path, found.value.version, {}, SERVICE)
    // On a conflict somebody else has just created the entry.
    if (!created.ok && created.error.kind !== 'secret_conflict') return created
    return ok({ kind: 'complete', message: `Created ${path}` })
  },
}
