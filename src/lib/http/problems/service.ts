import { row, type SomeProblems } from '../problem-table.ts'

const RETRY_AT_ONCE = { 'retry-after': '1' }

export const serviceProblems = {
  not_ready: {
    status: 503,
    title: 'Not ready',
    members: ({ details }) =>
      details === undefined ? {} : { detail: details.state, checks: details.checks },
  },
  audit_record_not_found: row(404, 'There is no such record'),
  internal_error: row(500, 'Something unexpected went wrong; the request id finds it in the log'),
  overloaded: {
    status: 503,
    title: 'The service has too much to do now; ask again',
    headers: () => RETRY_AT_ONCE,
  },
  client_left: row(503, 'The client left before its turn', 'overloaded'),
  database_unavailable: row(503, 'The database cannot be used now'),
} satisfies SomeProblems
