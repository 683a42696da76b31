import type { SomeProblems } from '../problem-table.ts'

export const serviceProblems = {
  not_ready: {
    status: 503,
    title: 'Not ready',
    members: ({ details }) =>
      details === undefined ? {} : { detail: details.state, checks: details.checks },
  },
  internal_error: {
    status: 500,
    title: 'Something unexpected went wrong; the request id finds it in the log',
  },
  database_unavailable: { status: 503, title: 'The database cannot be used now' },
} satisfies SomeProblems
