import type { Server } from 'bun'
import { andThen } from '../lib/http/now-or-later.ts'
import { pathOf, routable } from '../lib/http/request-path.ts'
import { requestIdOf, securityHeaders } from '../lib/http/security-headers.ts'

/** What a command brings to a socket. */
export interface Service {
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Called first when the process is to end: not ready any more, streams told. */
  drain(): void
  /** Called last, when no request is left. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly host: string
  readonly port: number
  /** Makes the service, while the socket already answers that the process lives. */
  readonly prepare: (server: { readonly url: URL }) => Promise<Service>
  readonly onReady: (server: { readonly url: URL }) => void
}

/** A start that cannot succeed, with a sentence for the operator. Anything else that is thrown is a bug, with its stack. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}

/** How long after a termination signal requests may still finish. With what follows it is less than 5 s. */
const DRAIN_DEADLINE_MS = 4_000
/** For load balancers to see that we are not ready, before connections are refused. */
const DRAIN_NOTICE_MS = 250
/** A git that thinks about a large push is quiet for longer than Bun waits by itself. */
const IDLE_TIMEOUT_SECONDS = 120
const EXIT_FAILED = 1

/**
 * Runs a service until a termination signal. Listens before anything else is loaded: a process that lives says so at once,
 * and a second instance on the same port fails at once.
 */
export function runServer(options: ServerOptions): void {
  const server = listen(options)
  if (server === undefined) return
  void start(server, createEnd(server), options)
}

/** A stream, which says so to proxies, may be quiet for longer than an idle connection is kept. */
const patiently = (answer: Service['fetch']) => (request: Request, server: Server<undefined>) =>
  andThen(answer(request), (response) => {
    if (response.headers.has('x-accel-buffering')) server.timeout(request, 0)
    return response
  })

async function start(
  server: Server<undefined>,
  end: ReturnType<typeof createEnd>,
  { prepare, onReady }: ServerOptions,
) {
  try {
    const service = await prepare(server)
    server.reload({ fetch: patiently(service.fetch), error: answerError })
    end.with(service)
    onReady(server)
  } catch (error) {
    console.error(error instanceof StartFailure ? `portico: ${error.message}` : error)
    process.exit(EXIT_FAILED)
  }
}

function listen(options: ServerOptions): Server<undefined> | undefined {
  const { host: hostname, port } = options
  try {
    return Bun.serve({
      hostname,
      port,
      // Bun would answer for us, without our headers. Routes limit what they read; what nobody reads is not kept.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      reusePort: false,
      development: false,
      fetch: answerWhileStarting,
      error: answerError,
    })
  } catch (error) {
    const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    const reason = isInUse ? 'the port is in use; choose another with PORT' : String(error)
    console.error(`portico: cannot listen on ${hostname}:${port}: ${reason}`)
    process.exitCode = EXIT_FAILED
    return undefined
  }
}

/** Before the application is there: alive, not ready. The same shapes and headers as later. */
function answerWhileStarting(request: Request): Response {
  const path = pathOf(routable(request))
  const requestId = requestIdOf(request)
  if (path === '/healthz') {
    return Response.json({ status: 'ok' }, { headers: headersOf(requestId) })
  }
  const members = { code: 'not_ready', title: 'Not ready', status: 503, instance: path }
  return problem(requestId, members, { 'retry-after': '1' })
}

/**
 * What the application could not answer itself, such as a file that was removed before it could be opened to be sent. Bun does
 * not say which request it was; an empty `instance` is relative to it.
 */
function answerError(error: unknown): Response {
  const requestId = Bun.randomUUIDv7()
  console.error(`portico: ${requestId}:`, error)
  const title = 'Something unexpected went wrong; the request id finds it in the log'
  return problem(requestId, { code: 'internal_error', title, status: 500, instance: '' })
}

/** As `lib/http/problem.ts` has them, which is not loaded from the first moment. */
const problem = (
  requestId: string,
  members: {
    readonly code: string
    readonly title: string
    readonly status: number
    readonly instance: string
  },
  more: Readonly<Record<string, string>> = {},
): Response =>
  new Response(
    JSON.stringify({ type: `urn:portico:problem:${members.code}`, ...members, requestId }),
    {
      status: members.status,
      headers: {
        ...headersOf(requestId),
        'content-type': 'application/problem+json',
        ...more,
      },
    },
  )

const headersOf = (requestId: string) => ({
  ...securityHeaders,
  'cache-control': 'no-store',
  'x-request-id': requestId,
})

function createEnd(server: Server<undefined>) {
  let service: Service | undefined
  let isEnding = false

  async function end() {
    service?.drain()
    await Bun.sleep(DRAIN_NOTICE_MS)
    const deadline = setTimeout(() => {
      console.error(`portico: ${server.pendingRequests} requests were cut off`)
      void server.stop(true)
    }, DRAIN_DEADLINE_MS)
    await server.stop()
    clearTimeout(deadline)
    await service?.close()
    process.exit(0)
  }
  const onSignal = () => {
    // The second signal is somebody who does not want to wait.
    if (isEnding) process.exit(EXIT_FAILED)
    isEnding = true
    void end()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return {
    with(prepared: Service) {
      service = prepared
    },
  }
}
