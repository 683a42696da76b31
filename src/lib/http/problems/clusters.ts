import { row, ownMessage, type SomeProblems, waitFor } from '../problem-table.ts'

const clusterError = {
  status: 502,
  code: 'cluster_error',
  title: 'The cluster gave an answer that cannot be used',
}

export const clustersProblems = {
  cluster_not_found: row(404, 'There is no such cluster'),
  deployment_not_found: row(404, 'There is no such deployment'),
  workload_not_found: row(404, 'There is no such workload'),
  pod_not_found: row(404, 'There is no such pod'),
  deployment_paused: row(409, 'The deployment is paused; resume it first'),
  cursor_expired: row(410, 'The list has changed too much since this page; start again'),
  cluster_forbidden: {
    status: 403,
    title: 'The cluster does not allow you this',
    members: ownMessage,
  },
  cluster_unauthorized: row(403, 'The cluster does not accept your identity'),
  identity_token_missing: row(
    403,
    'Your sign-in has no token for clusters, or it has ended; sign in again',
    'cluster_unauthorized',
  ),
  cluster_invalid: {
    status: 422,
    title: 'The cluster does not accept the request',
    members: ownMessage,
  },
  cluster_conflict: {
    status: 409,
    title: 'The object was changed in the cluster at the same time',
    members: ownMessage,
  },
  cluster_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The cluster asks us to wait',
    headers: waitFor,
  },
  cluster_unavailable: { status: 503, title: 'The cluster cannot answer now', headers: waitFor },
  cluster_unreachable: {
    status: 503,
    title: 'The cluster cannot be reached',
    members: ({ reason }) => ({ reason }),
  },
  cluster_timeout: row(504, 'The cluster took too long'),
  cluster_tls_error: {
    status: 502,
    title: 'The certificate of the cluster cannot be verified',
    members: ({ reason }) => ({ reason }),
  },
  cluster_error: clusterError,
  cluster_failed: {
    status: 502,
    code: 'cluster_error',
    title: 'The cluster could not complete the request',
    members: ownMessage,
  },
  cluster_expired: clusterError,
  cluster_object_not_found: clusterError,
} satisfies SomeProblems
