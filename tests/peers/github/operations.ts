/** Operations of GitHub's REST API that the fake has, by their `operationId` in GitHub's OpenAPI description. */
export const OPERATIONS = [
  'apps/create-installation-access-token',
  'apps/get-installation',
  'git/create-blob',
  'git/get-ref',
  'issues/add-labels',
  'pulls/create',
  'pulls/get',
  'pulls/list',
  'pulls/request-reviewers',
  'repos/create-for-authenticated-user',
  'repos/create-in-org',
  'repos/get',
  'repos/get-branch',
  'repos/get-branch-rules',
  'repos/get-release-asset',
  'repos/list-pull-requests-associated-with-commit',
  'repos/list-releases',
  'repos/replace-all-topics',
  'repos/update',
  'teams/add-or-update-repo-permissions-in-org',
  'users/get-authenticated',
  'users/get-by-username',
] as const

export type OperationId = (typeof OPERATIONS)[number]
