import type { VaultCheckOptions } from './check.ts'

/** In the place of a team and an application: the rights of the service do not depend on them. */
const SAMPLE = 'portico-check'

/** Capabilities of the service on paths of one kind, as in `deploy/vault/portico.hcl` and `portico-runs.hcl`. */
export interface NeededRights {
  /** Sample paths, by the path as a policy names it. */
  readonly paths: ReadonlyMap<string, string>
  /** The policy's path for all of `paths`. */
  readonly rule: string
  readonly needed: readonly string[]
  /** Capabilities that let the login do more than Portico ever does. */
  readonly unneeded: readonly string[]
  /** The rest of the policy's line. */
  readonly parameters: string
}

/** A line for the policy that gives the rights. */
export const policyLine = (
  path: string,
  capabilities: readonly string[],
  parameters = '',
): string =>
  `Add to the policy: path "${path}" { capabilities = ${JSON.stringify(capabilities)}${parameters} }`

type Entries = Pick<VaultCheckOptions, 'mount' | 'prefix' | 'environments' | 'persons'>

/** With logins of persons the service makes the empty entries of new projects alone, in the first environment. */
export function neededRights(entries: Entries): readonly NeededRights[] {
  const on = rightsOnEntries(entries)
  const forPersons = entries.persons !== null
  return [
    forPersons
      ? on('data', ['create'], ['read', 'patch', 'update', 'delete'], ONLY_EMPTY)
      : on('data', ['create', 'patch'], ['read', 'delete'], ''),
    on('subkeys', ['read'], [], ''),
    on('metadata', ['patch'], ['delete'], ONLY_LABELS),
    rightOnToken('renew-self'),
    rightOnToken('revoke-self'),
  ]
}

const ONLY_LABELS = ', allowed_parameters = { "custom_metadata" = [] }'
const ONLY_EMPTY = ', allowed_parameters = { "options" = [], "data" = [{}] }'

const rightsOnEntries =
  ({ mount, prefix, environments, persons }: Entries) =>
  (
    kind: string,
    needed: readonly string[],
    unneeded: readonly string[],
    parameters: string,
  ): NeededRights => {
    const used = persons === null ? environments : environments.slice(0, 1)
    const rule = (environment: string) => `${mount}/${kind}/${prefix}+/+/${environment}/env`
    const paths = new Map(
      used.map((environment) => [
        rule(environment),
        `${mount}/${kind}/${prefix}${SAMPLE}/${SAMPLE}/${environment}/env`,
      ]),
    )
    return {
      paths,
      rule: rule(used.length === 1 ? used.join('') : '+'),
      needed,
      unneeded,
      parameters,
    }
  }

const rightOnToken = (name: string): NeededRights => {
  const path = `auth/token/${name}`
  return {
    paths: new Map([[path, path]]),
    rule: path,
    needed: ['update'],
    unneeded: [],
    parameters: '',
  }
}
