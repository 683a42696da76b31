import type { Failure } from './failure.ts'
import type { RequestContext } from './request-context.ts'

export interface ProblemRow<Cause> {
  readonly status: number
  /** Part of the contract. By default the kind of the failure; several kinds may share a code. */
  readonly code?: string
  readonly title: string
  /** The facts of the failure that a client may see. */
  readonly members?: (failure: Cause, context?: RequestContext) => Readonly<Record<string, unknown>>
  readonly headers?: (failure: Cause, context: RequestContext) => Readonly<Record<string, string>>
}

export type ProblemTable<Causes extends { readonly kind: string }> = {
  readonly [Kind in Causes['kind']]: ProblemRow<Extract<Causes, { kind: Kind }>>
}

export const RETRY_SOON = { 'retry-after': '5' }

/** A problem that tells a client nothing but its title. */
export const row = (status: number, title: string, code?: string) => ({
  status,
  title,
  ...(code !== undefined && { code }),
})

/** The rows of one subject. */
export type SomeProblems = Partial<ProblemTable<Failure>>

const LOGIN_URL = '/api/v1/auth/login'
export const signInAt = () => ({ loginUrl: LOGIN_URL })

export const waitFor = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) => ({
  'retry-after': String(retryAfterSeconds),
})

export const ownMessage = ({ message }: { readonly message: string }) => ({ detail: message })
