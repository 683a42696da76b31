import { row, signInAt, type SomeProblems, waitFor } from '../problem-table.ts'

const secretStoreError = {
  status: 502,
  code: 'secret_store_error',
  title: 'The secret store could not complete the request',
}

export const secretStoreProblems = {
  secret_exists: {
    status: 409,
    title: 'Some secret keys exist already; set overwriteSecrets to replace them',
    members: ({ keys }) => ({ detail: `keys: ${keys.join(', ')}`, keys }),
  },
  secret_store_unreachable: row(503, 'The secret store cannot be reached'),
  secret_store_timeout: row(504, 'The secret store took too long'),
  secret_store_sealed: row(503, 'The secret store is sealed'),
  secret_store_error: secretStoreError,
  secret_store_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The secret store asks us to wait',
    headers: waitFor,
  },
  secret_store_denied: {
    status: 502,
    code: 'secret_store_error',
    title: 'The secret store does not allow this to the portal',
    members: () => ({ detail: 'the operators of the portal find the reason in its log' }),
  },
  secret_store_forbidden: {
    status: 403,
    title: 'The secret store does not allow you this',
    members: () => ({
      detail: 'its own policy for your groups decides; after a change of groups, sign in again',
    }),
  },
  secret_store_unauthorized: {
    status: 403,
    title: 'The secret store does not accept your sign-in, or it has ended; sign in again',
    members: signInAt,
  },
  secret_conflict: row(
    409,
    'Others were changing the same secrets at the same time; send the request again',
  ),
} satisfies SomeProblems
