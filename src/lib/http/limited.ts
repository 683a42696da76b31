import { Elysia } from 'elysia'
import type { Act, Usage } from '../domain/limits/usage.ts'
import { problem } from './problem.ts'
import { contextOf } from './request-context.ts'
import { requireSession } from './session.ts'

/**
 * Counts the requests of a route for their person and address, and refuses them beyond a limit, before their body is read. For routes
 * with a session; `tests/routes/limits.test.ts` lists the writing routes without a limit.
 */
export const limited = (usage: Usage, actOf: (request: Request) => Act | null) =>
  new Elysia().onBeforeHandle({ as: 'scoped' }, async ({ request }) => {
    const act = actOf(request)
    if (act === null) return undefined
    const { principal } = requireSession(request)
    const taken = await usage.take(act, principal, contextOf(request))
    return taken.ok ? undefined : problem(request, taken.error)
  })

export const writes = (): Act => 'write'

export const validates = (): Act => 'validation'

export const writesOrPreviews = (request: Request): Act =>
  isSet(request, 'dryRun') ? 'dry_run' : 'write'

/** HEAD opens no stream. */
export const streams = ({ method }: Request): Act | null => (method === 'GET' ? 'stream' : null)

export const reads = (): Act => 'read'

export const readsOrStreams = (request: Request): Act | null =>
  isSet(request, 'watch') ? streams(request) : 'read'

const isSet = ({ url }: Request, flag: string): boolean =>
  new URL(url).searchParams.get(flag) === 'true'
