import type { SomeProblems } from '../problem-table.ts'

const RETRY_AT_ONCE = { 'retry-after': '1' }

export const serviceProblems = {
  not_ready: {
    status: 503,
    title: 'Not ready',
    members: ({ details }) =>
      details === undefined ? {} : { detail: details.state, checks: details.checks },
  },
  audit_record_not_found: { status: 404, title: 'There is no such record' },
  internal_error: {
    status: 500,
    title: 'Something unexpected went wrong; the request id finds it in the log',
  },
  overloaded: {
    status: 503,
    title: 'The service has too much to do now; ask again',
    headers: () => RETRY_AT_ONCE,
  },
  client_left: { status: 503, code: 'overloaded', title: 'The client left before its turn' },
  database_unavailable: { status: 503, title: 'The database cannot be used now' },
} satisfies SomeProblems
