import { unknownGroupsAdvice } from '../../domain/access/unknown-groups.ts'
import { row, RETRY_SOON, type SomeProblems, waitFor } from '../problem-table.ts'
import type { RequestContext } from '../request-context.ts'

/** Groups that the provider did not tell grant nothing; the person cannot know why. */
function groupsAdvice(context: RequestContext | undefined) {
  const session = context?.session
  const advice =
    session?.kind === 'active' ? unknownGroupsAdvice(session.session.principal.groups) : null
  return advice === null ? {} : { detail: advice }
}

export const requestProblems = {
  forbidden: {
    status: 403,
    title: 'This needs a group that you are not in',
    members: ({ required, environments }, context) => ({
      ...(environments === undefined
        ? groupsAdvice(context)
        : { detail: `This workload may change only ${environments.join(', ')}` }),
      required,
    }),
  },
  cross_site_request: row(403, 'Another site may not make this request'),
  misdirected_request: row(421, 'This host name is not served here'),
  rate_limited: {
    status: 429,
    title: 'Too many requests; wait before the next one',
    headers: waitFor,
  },
  webhook_unauthorized: {
    status: 401,
    title: 'The webhook token is missing or wrong',
    headers: () => ({ 'www-authenticate': 'Bearer' }),
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    members: ({ hint }) => (hint === undefined ? {} : { detail: hint }),
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not supported here',
    headers: ({ allow }) => ({ allow: allow.join(', ') }),
  },
  malformed_json: row(400, 'The body is not valid JSON'),
  body_incomplete: row(400, 'The body did not come to its end'),
  validation_failed: {
    status: 422,
    title: 'The request is not valid',
    members: ({ errors }) => ({
      detail: errors
        .map(({ path, message }) => `${path.slice(1) || 'the body'}: ${message}`)
        .join('; '),
      errors,
    }),
  },
  unsupported_media_type: {
    status: 415,
    title: 'This content type is not supported here',
    members: ({ accepted }) => ({ detail: `accepted: ${accepted.join(', ')}` }),
  },
  content_encoded: {
    status: 415,
    code: 'unsupported_media_type',
    title: 'A compressed body is not accepted here; send it as it is',
    headers: () => ({ 'accept-encoding': 'identity' }),
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    members: ({ limitBytes }) => ({ limitBytes }),
  },
  precondition_failed: {
    status: 412,
    title: 'The resource does not match the If-Match header',
    headers: ({ etag }) => ({ etag }),
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file does not have the requested range',
    headers: ({ sizeBytes }) => ({ 'content-range': `bytes */${sizeBytes}` }),
  },
  idempotency_key_reused: row(422, 'The idempotency key was used for another request'),
  too_many_streams: {
    status: 429,
    code: 'rate_limited',
    title: 'Too many streams are open; close some',
    headers: () => RETRY_SOON,
  },
} satisfies SomeProblems
