import type { Server } from 'bun'
import { EXIT_FAILED } from '../cli/exit-status.ts'
import type { PeerSource } from '../lib/http/client-address.ts'
import { pathOf, routable } from '../lib/http/request-path.ts'
import { requestIdOf, securityHeaders } from '../lib/http/security-headers.ts'
import { listenFailure } from '../lib/listen-failure.ts'
import type { Termination } from '../termination.ts'

/** A service that a socket is opened for. */
export interface Service {
  readonly fetch: (request: Request, peers: PeerSource) => Response | Promise<Response>
  /** Resolves when the service has become ready, or does not for now. It answers before. */
  readonly started: Promise<void>
  /** First step of the shutdown: the service is not ready any more, and ends its streams. */
  drain(): void
  /** Last step of the shutdown, when no request is left. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly host: string
  readonly port: number
  /** Creates the service. Meanwhile the socket answers liveness probes. */
  readonly prepare: (server: { readonly url: URL }) => Promise<Service>
  readonly onReady: (server: { readonly url: URL }) => void
  readonly termination: Termination
}

/** An expected failure of the start, with a message for the operator. Other errors are bugs and are printed with their stack. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
  /** `EXIT_CONFIG` when another try with the same settings would fail too. */
  readonly exitStatus: number
  constructor(message: string, exitStatus = EXIT_FAILED) {
    super(message)
    this.exitStatus = exitStatus
  }
}

/** Time for requests in flight after a termination signal. The whole shutdown takes less than 8 s, and less than 5 s with a database that answers. */
const DRAIN_DEADLINE_MS = 4_000
/** Time in which load balancers see that the service is not ready; then connections are refused. */
const DRAIN_NOTICE_MS = 250
/**
 * Longer than the 120 s for which Caddy keeps an idle connection: a proxy answers a request with 502 if this end is closing its connection.
 * `git` is silent for longer than Bun's default of 10 s while it checks a large push.
 */
const IDLE_TIMEOUT_SECONDS = 150

/**
 * Runs a service until a termination signal. The socket is opened before the application is loaded: liveness probes are answered
 * at once, and a second instance on the same port fails at once.
 */
export function runServer(options: ServerOptions): void {
  const server = listen(options)
  if (server === undefined) return
  void start(server, createShutdown(server, options.termination), options)
}

/** Lifts the idle timeout of streams; `x-accel-buffering`, which keeps proxies from buffering, marks a stream. */
const withoutStreamTimeout =
  (answer: Service['fetch']) => async (request: Request, server: Server<undefined>) => {
    const response = await answer(request, server)
    if (response.headers.has('x-accel-buffering')) server.timeout(request, 0)
    return response
  }

async function start(
  server: Server<undefined>,
  end: ReturnType<typeof createShutdown>,
  { prepare, onReady }: ServerOptions,
) {
  try {
    const service = await prepare(server)
    server.reload({ fetch: withoutStreamTimeout(service.fetch), error: answerError })
    end.with(service)
    await service.started
    onReady(server)
  } catch (error) {
    const isExpected = error instanceof StartFailure
    console.error(isExpected ? `portico: ${error.message}` : error)
    process.exit(isExpected ? error.exitStatus : EXIT_FAILED)
  }
}

function listen(options: ServerOptions): Server<undefined> | undefined {
  const { host: hostname, port } = options
  try {
    return Bun.serve({
      hostname,
      port,
      // Routes limit the bodies that they read. Bun's own limit would answer 413 without our headers.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      reusePort: false,
      development: false,
      fetch: answerWhileStarting,
      error: answerError,
    })
  } catch (error) {
    const reason = listenFailure(error, 'PORT')
    console.error(`portico: cannot listen on ${hostname}:${port}: ${reason}`)
    process.exitCode = EXIT_FAILED
    return undefined
  }
}

/** Answers until the application is loaded: alive, not ready. Bodies and headers are those of the application. */
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
 * Answers when sending a response fails, for example because its file was removed before Bun opened it. Bun does not pass the
 * request; an empty `instance` is a relative URI and refers to it.
 */
function answerError(error: unknown): Response {
  const requestId = Bun.randomUUIDv7()
  console.error(`portico: ${requestId}:`, error)
  const title = 'Something unexpected went wrong; the request id finds it in the log'
  return problem(requestId, { code: 'internal_error', title, status: 500, instance: '' })
}

/** Problem details like those of `lib/http/problem.ts`, which is loaded later. */
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

function createShutdown(server: Server<undefined>, termination: Termination) {
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
  termination.handle(() => {
    // A second signal ends the process at once.
    if (isEnding) process.exit(EXIT_FAILED)
    isEnding = true
    void end()
  })
  return {
    with(prepared: Service) {
      service = prepared
    },
  }
}
