import { err, type Result } from '../../lib/result.ts'

/** Why the API server refuses a request. It is rendered as a `Status` object. */
export interface Refusal {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type Outcome<Value> = Result<Value, Refusal>

export const refuse = (
  code: number,
  reason: string,
  message: string,
  details?: Refusal['details'],
) => err({ code, reason, message, ...(details && { details }) })

export const badRequest = (message: string) => refuse(400, 'BadRequest', message)
export const unknownPath = () =>
  refuse(404, 'NotFound', 'the server could not find the requested resource', {})
export const notAllowed = () =>
  refuse(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )
export const unsupportedMediaType = (accepted: string) =>
  refuse(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  )
export const tooMany = () =>
  refuse(429, 'TooManyRequests', 'too many requests, please try again later', {
    retryAfterSeconds: 1,
  })
/** The requested version is compacted. */
export const expired = (message: string) => refuse(410, 'Expired', message)

export const statusObject = (refusal: Refusal) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  ...refusal,
})

export const answerRefusal = (refusal: Refusal): Response =>
  Response.json(statusObject(refusal), {
    status: refusal.code,
    headers: refusal.code === 429 ? { 'retry-after': '1' } : {},
  })
