import { UNPROMOTABLE } from '../../domain/promotion/subject.ts'
import { row, RETRY_SOON, type SomeProblems } from '../problem-table.ts'

export const promotionProblems = {
  entity_ambiguous: row(409, 'The repository has this entity more than once'),
  entity_not_editable: {
    status: 409,
    title: 'The entity cannot be edited without changing the rest of its file',
    members: ({ reason }) => ({ detail: reason }),
  },
  not_promotable: {
    status: 409,
    title: 'This entity cannot be promoted',
    members: (failure) => ({
      detail: failure.reason === 'base_unusable' ? failure.missing : UNPROMOTABLE[failure.reason],
      reason: failure.reason,
    }),
  },
  invalid_transition: {
    status: 409,
    title: 'The lifecycle does not allow this step',
    members: ({ from, to, allowed }) => ({
      detail: `from ${from} there is no step to ${to}${allowed.length === 0 ? '' : `; possible now: ${allowed.join(', ')}`}`,
      from,
      to,
      allowed,
    }),
  },
  change_in_progress: {
    status: 503,
    title: 'Another change of this application and environment is being made',
    headers: () => RETRY_SOON,
  },
  pr_pending: {
    status: 409,
    title: 'The pull request is not merged yet',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} pending`, pullRequest }),
  },
  pr_closed: {
    status: 409,
    title: 'The pull request was closed without a merge',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} was closed`, pullRequest }),
  },
  pr_outdated: {
    status: 409,
    title: 'The default branch changed the same lines after the pull request began',
    members: ({ pullRequest, path }) => ({
      detail: `PR #${pullRequest} and the default branch change the same lines of ${path}: close it and ask again`,
      pullRequest,
    }),
  },
  overlay_missing: {
    status: 409,
    title: 'The default branch has no overlay for this environment',
    members: ({ environment }) => ({ detail: `no overlay for ${environment}` }),
  },
  nothing_to_change: {
    status: 409,
    title: 'The environment has all of this already',
    members: ({ environment }) => ({
      detail: `${environment} is live with these values; name one that differs, such as {"image": {"tag": "1.5.0"}}`,
    }),
  },
  overlay_not_editable: {
    status: 409,
    title: 'The overlay cannot be edited without changing the rest of its files',
    members: ({ path, reason }) => ({ detail: `${path}: ${reason}` }),
  },
  host_taken: {
    status: 409,
    title: 'Another overlay has this host',
    members: ({ claimedBy }) => ({ detail: `claimed by ${claimedBy}` }),
  },
  database_taken: {
    status: 409,
    title: 'Another overlay has this database',
    members: ({ name, claimedBy }) => ({ detail: `${name} is claimed by ${claimedBy}` }),
  },
  name_taken: {
    status: 409,
    title: 'Another application has objects of this name',
    members: ({ name, claimedBy }) => ({ detail: `${name} belongs to ${claimedBy}` }),
  },
} satisfies SomeProblems
