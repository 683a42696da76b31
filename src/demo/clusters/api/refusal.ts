import { err, type Result } from '../../../lib/result.ts'

/** Why the API server refuses a request. It is rendered as a `Status` object. */
export interface Refusal {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}

export type Outcome<Value> = Result<Value, Refusal>
export type RefusalResult = Extract<Outcome<never>, { ok: false }>

export const refuse = (
  code: number,
  reason: string,
  message: string,
  rest: Omit<Refusal, 'code' | 'reason' | 'message'> = {},
): RefusalResult => err({ code, reason, message, ...rest })

export const badRequest = (message: string): RefusalResult => refuse(400, 'BadRequest', message)
export const unauthorized = (): RefusalResult => refuse(401, 'Unauthorized', 'Unauthorized')
export const unknownPath = (): RefusalResult =>
  refuse(404, 'NotFound', 'the server could not find the requested resource', { details: {} })
export const notAllowed = (): RefusalResult =>
  refuse(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    { details: {} },
  )
export const notAcceptable = (): RefusalResult =>
  refuse(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io',
  )
export const tooLarge = (limitBytes: number): RefusalResult =>
  refuse(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)
export const unsupportedMediaType = (...accepted: readonly string[]): RefusalResult =>
  refuse(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
export const tooMany = (): RefusalResult =>
  refuse(429, 'TooManyRequests', 'too many requests, please try again later', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
export const internal = (): RefusalResult =>
  refuse(500, 'InternalError', 'Internal error occurred: the simulation has failed')

/** The requested version is compacted. */
export const expired = (message: string): RefusalResult => refuse(410, 'Expired', message)

/** The requested version does not exist yet. */
export const tooLargeVersion = (requested: number, current: number): RefusalResult =>
  refuse(504, 'Timeout', `Too large resource version: ${requested}, current: ${current}`, {
    retryAfterSeconds: 1,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  })

export const statusObject = (refusal: Refusal) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: refusal.message,
  reason: refusal.reason,
  ...(refusal.details && { details: refusal.details }),
  code: refusal.code,
})

export const answerRefusal = (refusal: Refusal): Response =>
  Response.json(statusObject(refusal), {
    status: refusal.code,
    headers:
      refusal.retryAfterSeconds === undefined
        ? {}
        : { 'retry-after': String(refusal.retryAfterSeconds) },
  })
