import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Call, RepositoryCall } from './call.ts'
import { getAuthenticatedUser, getUser } from './calls/accounts.ts'
import { createInstallationToken, getInstallation } from './calls/apps.ts'
import { createBlob } from './calls/blobs.ts'
import { getBranch, getBranchRules } from './calls/branches.ts'
import { addLabels, createPull, getPull, listPulls, requestReviewers } from './calls/pulls.ts'
import { getReference } from './calls/refs.ts'
import { listPullsOfCommit } from './calls/history.ts'
import { getReleaseAsset, listReleases } from './calls/releases.ts'
import {
  createForUser,
  createInOrganization,
  getRepository,
  replaceTopics,
  setTeamPermission,
  updateRepository,
} from './calls/repositories.ts'
import type { OperationId } from './operations.ts'
import type { Storage } from './storage.ts'

type Outcome = Answer | Promise<Answer>

export type Handler =
  /** About one repository. */
  | { readonly in: 'repository'; readonly answer: (call: RepositoryCall) => Outcome }
  | { readonly in: 'host'; readonly answer: (call: Call) => Outcome }
  /** By an App in its own name. */
  | { readonly in: 'app'; readonly answer: (call: Call, appId: number) => Outcome }

const repository = (answer: (call: RepositoryCall) => Outcome): Handler => ({
  in: 'repository',
  answer,
})
const host = (answer: (call: Call) => Outcome): Handler => ({ in: 'host', answer })

/** `directory`: folder of the bare repositories. */
export const handlersOf = (
  directory: string,
  storage: Storage,
): Readonly<Record<OperationId, Handler>> => ({
  'apps/create-installation-access-token': { in: 'app', answer: createInstallationToken },
  'apps/get-installation': { in: 'app', answer: getInstallation },
  'git/create-blob': repository(createBlob),
  'git/get-ref': repository(getReference),
  'issues/add-labels': repository(addLabels),
  'pulls/create': repository(createPull),
  'pulls/get': repository(getPull),
  'pulls/list': repository(listPulls),
  'pulls/request-reviewers': repository(requestReviewers),
  'repos/create-for-authenticated-user': host(createForUser(directory)),
  'repos/create-in-org': host(createInOrganization(directory)),
  'repos/get': repository(getRepository),
  'repos/get-branch': repository(getBranch),
  'repos/get-branch-rules': repository(getBranchRules),
  'repos/get-release-asset': repository((call) =>
    getReleaseAsset(call, (asset) => storage.linkTo(asset)),
  ),
  'repos/list-pull-requests-associated-with-commit': repository(listPullsOfCommit),
  'repos/list-releases': repository(listReleases),
  'repos/replace-all-topics': repository(replaceTopics),
  'repos/update': repository(updateRepository),
  'teams/add-or-update-repo-permissions-in-org': repository(setTeamPermission),
  'users/get-authenticated': host(getAuthenticatedUser),
  'users/get-by-username': host(getUser),
})
