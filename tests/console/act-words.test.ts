import { expect, test } from 'bun:test'
import type { Problem } from '#src/console/api/result.ts'
import { withAdvice } from '#src/console/pages/entity/acts/act-words.ts'

const AGAIN = 'You can safely try again.'

const cases: readonly [Partial<Problem>, string | undefined][] = [
  [{ code: 'pr_pending', status: 409, detail: 'PR #42 pending' }, 'PR #42 pending'],
  [
    { code: 'session_stale', status: 401 },
    'Your input is kept: sign in, come back to this tab and try again.',
  ],
  [
    { code: 'unreachable', status: 0, detail: 'This page tries again by itself.' },
    `The connection or the service is down. ${AGAIN}`,
  ],
  [
    { code: 'forbidden', status: 403, required: ['platform-team', 'payments:Managers'] },
    'Needs platform-team or payments:Managers.',
  ],
  [
    { code: 'secret_exists', status: 409, keys: ['A', 'B'], detail: 'they exist' },
    'they exist. Overwrite A, B, or use other names.',
  ],
  [{ code: 'nothing_to_change', status: 409, detail: 'name {"image"}' }, 'Change a value first.'],
  [{ code: 'rate_limited', status: 429, retryAfter: 1 }, 'Try again in 1 second.'],
  [{ code: 'git_host_unreachable', status: 503, retryAfter: 5 }, 'Try again in 5 seconds.'],
  [
    { code: 'git_host_error', status: 502, detail: 'It answered 500!' },
    `It answered 500! ${AGAIN}`,
  ],
]

test.each(cases)('%j is told with advice', (problem, detail) => {
  const told = withAdvice({ code: 'internal_error', title: 'It failed', status: 500, ...problem })
  expect(told.detail).toBe(detail)
})
