import { BranchName, RunId } from '../../names.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import { endsWithTrailer, lastTrailer, trailer } from '../gitops/trailer.ts'
import type { StepContext } from './steps/step.ts'

/** One branch per application: a repeated proposal finds the first. */
export const scaffoldBranch = ({
  team,
  app,
}: Pick<StepContext['spec'], 'team' | 'app'>): BranchName =>
  BranchName.of(`scaffold/${team}/${app}`)

const TRAILER = 'Portico-Run'

export const isOfRun = ({ body }: Pick<PullRequest, 'body'>, runId: RunId): boolean =>
  endsWithTrailer(body, TRAILER, runId)

/** Whether the portal opened a pull request for any run. People may have changed everything else of it. */
export const isOfSomeRun = ({ body }: Pick<PullRequest, 'body'>): boolean =>
  RunId.parse(lastTrailer(body, TRAILER)) !== undefined

/** For the reviewer. Free text of the request is quoted: it mentions nobody and closes no issue. */
export function describePullRequest({
  runId,
  spec,
  made,
}: Pick<StepContext, 'runId' | 'spec' | 'made'>): {
  readonly title: string
  readonly body: string
} {
  const { team, app, namespace, features, templateId, templateVersion, createdBy } = spec
  const isOwnNamespace = namespace === team || namespace.startsWith(`${team}-`)
  const lines = [
    `Adds **${team}/${app}**, made from ${templateId} ${templateVersion} for ${plain(createdBy.name)}.`,
    '',
    ...(spec.description === '' ? [] : [...quoted(spec.description), '']),
    `- Repository: ${made.repoUrl ?? 'none'}`,
    `- Namespace: ${namespace}${isOwnNamespace ? '' : ' (not named after the team: please look twice)'}`,
    `- Database: ${yes(features.database)}, external secrets: ${yes(features.externalSecrets)}, ingress: ${yes(features.ingress)}`,
    '',
    'Merging it makes the component visible in the catalog, as experimental. Environments come by promotion.',
    '',
    trailer(TRAILER, runId),
  ]
  return { title: `[Scaffold] ${team}/${app}`, body: `${lines.join('\n')}\n` }
}

const yes = (on: boolean): string => (on ? 'yes' : 'no')
