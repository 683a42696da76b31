import type { AnswerOf } from '../../api/call.ts'

export type AuditRecord = AnswerOf<'get', '/api/v1/audit'>[number]

/** In the address: every action, sign-ins too. */
export const EVERY_ACTION = 'all'

/** Sign-ins are most of the records, and rarely what is looked for: they are left out until they are asked for. */
export const actionFilter = (
  asked: string | undefined,
): { readonly action?: string | undefined; readonly without?: string } =>
  asked === undefined ? { without: 'session' } : asked === EVERY_ACTION ? {} : { action: asked }

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'promotion.propose': 'Proposed a change',
    'promotion.confirm': 'Confirmed a promotion',
    'promotion.deprecate': 'Proposed a deprecation',
    'scaffold.start': 'Started a new project',
    'scaffold.retry': 'Tried a new project again',
    'scaffold.preview': 'Looked at a new project',
    'cluster.restart': 'Restarted a workload',
    'catalog.refresh': 'Refreshed the catalog',
    'repository.create': 'Made a repository',
    'repository.push': 'Pushed to a repository',
    'pull_request.approve': 'Approved a pull request',
    'pull_request.merge': 'Merged a pull request',
    'pull_request.close': 'Closed a pull request',
    'deploy_token.create': 'Made a deploy token',
    'deploy_token.end': 'Ended a deploy token',
    'limit.read': 'Read too often',
    'limit.write': 'Wrote too often',
    'limit.dry_run': 'Asked for too many previews',
    'limit.validation': 'Checked files too often',
    'limit.stream': 'Opened too many streams',
    'session.sign_in': 'Signed in',
    'session.sign_out': 'Signed out',
    'session.revoke': 'Ended sessions of a person',
    'session.ended_by_provider': 'Signed out by the provider',
    'grant.open': 'Allowed a program to act for them',
    'grant.end': 'Ended what a program may do',
    'grant.ended_by_reuse': 'Ended a program whose token was used twice',
  }),
)

/** Actions that the filter offers. The part before the dot stands for several actions. */
export const ACTIONS = [
  ...Map.groupBy(WORDS.keys(), (action) => action.split('.', 1).join()),
].flatMap(([group, actions]) => (actions.length > 1 ? [group, ...actions] : actions))

/** An action that a newer server records is shown by its name. */
export const actionWords = (action: string): string => WORDS.get(action) ?? action

/** Members of `details`. */
const DETAILS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    target: 'Target',
    dryRun: 'Preview only',
    groupsKnown: 'Groups known',
    ended: 'Sessions ended',
    error: 'Error',
    refused: 'Refused',
    until: 'Until',
    client: 'Program',
    scopes: 'May do',
    teams: 'Teams',
    redirectUri: 'Leads back to',
    base: 'Into',
    head: 'From branch',
    mergeCommit: 'Merge commit',
    refs: 'Branches and tags',
    runId: 'Run',
    repoUrl: 'Repository',
    commit: 'Commit',
    prUrl: 'Pull request',
    prNumber: 'Pull request number',
    step: 'Failed step',
    template: 'Template',
    templateRevision: 'Commit of the template',
    repository: 'New repository',
    secretPath: 'Secret',
    secretVersion: 'Version of the secret',
    secretsChanged: 'Secret changed',
    restartedAt: 'Restarted at',
    generation: 'Generation',
    observedGeneration: 'Observed generation',
    alreadyRestarted: 'Already restarted',
  }),
)

/** Facts of a record with their names, for the open row. A detail that a newer server records is shown by its name. */
export const factsOf = (record: AuditRecord): readonly (readonly [string, string])[] => {
  const { code, groups, revision, requestId, address, details, action, via } = record
  const facts: readonly (readonly [string, string | null])[] = [
    ['Action', action],
    ['Reason', code],
    ['Granted by', groups.join(', ')],
    ...Object.entries(details).map(([name, value]) =>
      name === 'upstream'
        ? (['Other system', upstreamText(value)] as const)
        : ([DETAILS.get(name) ?? name, textOf(value)] as const),
    ),
    ['Commit read', revision],
    ['Request', requestId],
    ['From', address],
    ['By the program', via && via.client],
  ]
  return facts.flatMap(([name, text]) => (text === null || text === '' ? [] : [[name, text]]))
}

/** `git_denied: contents: write on acme/gitops`. */
const upstreamText = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null
    ? Object.values(failure).map(String).join(': ')
    : ''

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return JSON.stringify(value)
}
