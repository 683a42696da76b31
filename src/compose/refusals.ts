import type { Outages } from '../lib/logging/outages.ts'
import { observedPort } from '../lib/metrics/observed-port.ts'
import type { GitFailure, GitHost } from '../lib/ports/git-host.ts'
import type { SecretStore, SecretStoreFailure } from '../lib/ports/secret-store.ts'

/** Kinds of failures that are logged: of a system that does not work, and of what it refuses. */
interface LoggedKinds<Kind extends string> {
  readonly outages: readonly Kind[]
  readonly refusals: readonly Kind[]
}

/** The git host, with its refusals in the log. */
export const withGitHostRefusals = (gitHost: GitHost, outages: Outages): GitHost =>
  withRefusals<GitHost, GitFailure['kind']>(gitHost, outages, 'git host', {
    outages: ['git_host_error'],
    refusals: ['git_denied'],
  })

/** The secret store, with its refusals in the log, those of persons too: their policies are the operators' work. */
export const withSecretStoreRefusals = (store: SecretStore, outages: Outages): SecretStore =>
  withRefusals<SecretStore, SecretStoreFailure['kind']>(store, outages, 'secret store', {
    outages: ['secret_store_error'],
    refusals: ['secret_store_denied', 'secret_store_forbidden', 'secret_store_unauthorized'],
  })

/**
 * A log line for the calls of another system that it refused or answered in an unusable way. People learn only that it did; the line
 * has the missing right or the reason, for operators.
 */
function withRefusals<Port extends object, Kind extends string>(
  port: Port,
  outages: Outages,
  system: string,
  { outages: failing, refusals }: LoggedKinds<Kind>,
): Port {
  const isOneOf = (kinds: readonly string[], kind: string) => kinds.includes(kind)
  return observedPort(port, {
    answered(call, _, failure) {
      if (failure === undefined) outages.worked(`${call} of the ${system}`)
    },
    failed(call, failure) {
      const called = `${call} of the ${system}`
      const cause = JSON.stringify(failure)
      const facts = { call, ...failure }
      if (isOneOf(failing, failure.kind)) outages.failed(called, cause, facts, system)
      if (isOneOf(refusals, failure.kind)) {
        outages.refused(`rights of ${called}`, cause, facts, system)
      }
    },
  })
}
