import { freePort } from '#tests/support/free-port.ts'
import { createOpenBaoApi, type OpenBaoApi } from './openbao-api.ts'
import { createOpenBaoProcess, type OpenBaoProcess } from './openbao-process.ts'

export { openbaoProgram } from './openbao-process.ts'

export interface OpenBao
  extends OpenBaoApi, Pick<OpenBaoProcess, 'freeze' | 'thaw' | 'log'>, AsyncDisposable {
  readonly url: string
  readonly rootToken: string
}

export interface RaftOpenBao extends OpenBao {
  readonly seal: () => Promise<void>
  /** Ends when the server is active again. */
  readonly unseal: () => Promise<void>
  /** Kills the process. */
  readonly stop: () => Promise<void>
  /** Starts the process, which is sealed then. */
  readonly start: () => Promise<void>
}

/** The certificate of a server, its key, and the certificate of its authority, in PEM. */
export interface OpenBaoTls {
  readonly cert: string
  readonly key: string
  readonly authority: string
}

/**
 * A server in development mode: in memory, unsealed, with KV version 2 at `secret/`. Tests may enable audit devices through its API.
 * Takes 0.3 s.
 */
export async function startOpenBao(): Promise<OpenBao> {
  const rootToken = `root-${crypto.randomUUID()}`
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await createOpenBaoProcess([
    'server',
    '-dev',
    '-dev-no-store-token',
    `-dev-root-token-id=${rootToken}`,
    `-dev-listen-address=127.0.0.1:${port}`,
    '-config=server.hcl',
  ])
  await using stack = new AsyncDisposableStack()
  stack.use(server)
  await server.file('server.hcl', 'unsafe_allow_api_audit_creation = true\n')
  const api = createOpenBaoApi(url, rootToken, undefined)
  server.start()
  await server.until(() => isMounted(api))
  const { freeze, thaw, log } = server
  const started = stack.move()
  return {
    url,
    rootToken,
    ...api,
    freeze,
    thaw,
    log,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/**
 * A server that can be sealed and restarted: raft storage, one unseal key, unsealed, with KV version 2 at `secret/`.
 * Takes 2 s, and each `unseal` takes 1 s: the election.
 */
export async function startRaftOpenBao(tls?: OpenBaoTls): Promise<RaftOpenBao> {
  const port = freePort()
  const clusterPort = freePort()
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  const server = await createOpenBaoProcess(['server', '-config=server.hcl'])
  await using stack = new AsyncDisposableStack()
  stack.use(server)
  await server.file('server.hcl', raftConfiguration(url, port, clusterPort, tls !== undefined))
  if (tls !== undefined) {
    await server.file('server.pem', tls.cert)
    await server.file('server.key', tls.key)
  }
  const nobody = createOpenBaoApi(url, '', tls?.authority)

  const start = async () => {
    server.start()
    await server.until(async () => (await nobody.request('GET', 'sys/seal-status')).status === 200)
  }
  await start()
  const keys = await nobody.must('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 })
  const { keys_base64, root_token } = keys as { keys_base64: [string]; root_token: string }
  const unseal = async () => {
    await nobody.must('PUT', 'sys/unseal', { key: keys_base64[0] })
    await server.until(async () => (await nobody.request('GET', 'sys/health')).status === 200)
  }
  await unseal()
  const api = createOpenBaoApi(url, root_token, tls?.authority)
  await api.must('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } })
  await server.until(() => isMounted(api))

  const { freeze, thaw, log, stop } = server
  const started = stack.move()
  return {
    url,
    rootToken: root_token,
    ...api,
    async seal() {
      await api.must('PUT', 'sys/seal')
    },
    unseal,
    start,
    stop,
    freeze,
    thaw,
    log,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A new mount answers 400 until its upgrade to version 2 is done. */
const isMounted = async (api: OpenBaoApi) =>
  (await api.request('GET', 'secret/config')).status === 200

const raftConfiguration = (url: string, port: number, clusterPort: number, tls: boolean) => `
disable_mlock = true
ui = false
api_addr = "${url}"
cluster_addr = "https://127.0.0.1:${clusterPort}"
listener "tcp" {
  address = "127.0.0.1:${port}"
  cluster_address = "127.0.0.1:${clusterPort}"
  ${tls ? 'tls_cert_file = "server.pem"\n  tls_key_file = "server.key"' : 'tls_disable = true'}
}
storage "raft" {
  path = "."
  node_id = "one"
  performance_multiplier = 1
}
`
