import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { AccessLog } from './lib/logging/access-log.ts'
import type { Admission } from './lib/http/admission.ts'
import type { ClientAddress, PeerSource } from './lib/http/client-address.ts'
import { createEdge } from './lib/http/edge.ts'
import { scopeIn } from './lib/http/operation.ts'
import { errorHandler } from './lib/http/error-handler.ts'
import { readConsole } from './lib/http/console/assets.ts'
import { createConsoleAnswers } from './lib/http/console/answers.ts'
import { consolePages, missingPage, redirectedStart } from './lib/http/console/pages.ts'
import type { Deps } from './deps.ts'
import { routes } from './routes.gen.ts'

export interface AppOptions {
  readonly deps: Omit<Deps, 'dispatch'>
  readonly publicUrl: URL
  readonly allowedHosts: readonly string[]
  readonly trustedOrigins: readonly string[]
  readonly clientAddress: ClientAddress
  readonly admission: Admission
  readonly access: Pick<AccessLog, 'record'>
  readonly log: Pick<Logger, 'error'>
  /** Whether `/` is the console, with its other pages, or leads elsewhere. */
  readonly start: { readonly kind: 'console' } | { readonly kind: 'redirect'; readonly to: string }
  /** Routes of the embedded git host, and of the demo. */
  readonly moreRoutes: readonly AnyElysia[]
}

export interface App {
  /** `peers` knows the address of the connection. */
  readonly fetch: (request: Request, peers?: PeerSource) => Promise<Response>
  readonly elysia: AnyElysia
}

/** The HTTP application, without a socket. */
export function createApp({
  deps,
  publicUrl,
  allowedHosts,
  trustedOrigins,
  clientAddress,
  admission,
  access,
  log,
  start,
  moreRoutes,
}: AppOptions): App {
  const pages = createConsoleAnswers(readConsole)
  // Compiled now, so that a broken route fails the start instead of its first request.
  const elysia: AnyElysia = new Elysia({ precompile: true, strictPath: true })
    .use(
      errorHandler(
        () => elysia,
        log,
        (request) => (start.kind === 'console' ? missingPage(pages, request) : undefined),
      ),
    )
    .use(routes({ ...deps, dispatch: async (request) => elysia.fetch(request) }))
    .use(start.kind === 'redirect' ? redirectedStart(start.to) : consolePages(pages))
    .use(moreRoutes.reduce((all, routes) => all.use(routes), new Elysia()))
    .compile()
  const { sessions, claims } = deps
  const scopes = new Map(
    elysia.routes.map(({ method, path, hooks: { detail } }) => [
      `${method} ${path}`,
      scopeIn(detail),
    ]),
  )
  return {
    elysia,
    fetch: createEdge({
      route: (request) => elysia.fetch(request),
      sessions,
      admission,
      claims,
      scopeOf: (method, route) => scopes.get(`${method} ${route}`),
      publicUrl,
      hasConsole: start.kind === 'console',
      allowedHosts,
      trustedOrigins,
      clientAddress,
      access,
      log,
    }),
  }
}
