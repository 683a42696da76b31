import { secretPath } from '../../../names.ts'
import { ok } from '../../../result.ts'
import { step } from './step.ts'

/** Creates the entry, empty, for the team to fill. One that is there is kept as it is. */
export const createSecret = step({
  needs: ['secretStore'],
  announce: ({ spec: { team, app } }) => `Preparing ${secretPath(team, app, 'dev')}`,
  async run({ spec, note }, { secretStore }) {
    if (!spec.features.externalSecrets) {
      return ok({ kind: 'skipped', message: 'The application wants no external secrets' })
    }
    const path = secretPath(spec.team, spec.app, 'dev')
    const found = await secretStore.describe(path)
    if (!found.ok) return found
    if (found.value.kind === 'present') {
      return ok({ kind: 'skipped', message: `${path} is there already and stays as it is` })
    }
    const ours = await note({})
    if (!ours.ok) return ours
    const created = await secretStore.merge(path, found.value.version, {})
    // Who came in between made the entry that was wanted.
    if (!created.ok && created.error.kind !== 'secret_conflict') return created
    return ok({ kind: 'complete', message: `Created ${path}` })
  },
})
