import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { freePort } from '#tests/support/free-port.ts'
import { untilReady } from '#tests/support/until-ready.ts'

const START_TIMEOUT_MS = 60_000
const ANSWER_MS = 5_000

/** The programs of a Kubernetes control plane, when the environment names them. */
export interface ControlPlane {
  readonly apiServer: string
  readonly etcd: string
}

const { KUBE_APISERVER, ETCD } = process.env
export const controlPlane: ControlPlane | undefined =
  KUBE_APISERVER === undefined || ETCD === undefined
    ? undefined
    : { apiServer: KUBE_APISERVER, etcd: ETCD }

export interface KubernetesUser {
  readonly token: string
  readonly name: string
  readonly groups: readonly string[]
}

export interface KubeApiServer extends AsyncDisposable {
  readonly url: string
  /** PEM. */
  readonly authority: string
  /** Asks as its administrator, and throws when that is not done. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<unknown>
  /** After it, it does not know how things became what they are. */
  restart(): Promise<void>
}

const ADMINISTRATOR: KubernetesUser = {
  token: 'administrator',
  name: 'administrator',
  groups: ['system:masters'],
}

/**
 * A real API server with its etcd, empty, with RBAC and these tokens: no controllers, no nodes. Admission that needs
 * controllers is switched off.
 */
export async function startKubeApiServer(
  { apiServer, etcd }: ControlPlane,
  users: readonly KubernetesUser[],
): Promise<KubeApiServer> {
  await using stack = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'portico-kube-apiserver-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const authority = await createAuthority(Date.now())
  const { certificate, key } = await authority.issue('kube-apiserver')
  const file = async (name: string, content: string) => {
    const path = join(home, name)
    await writeFile(path, content, { mode: 0o600 })
    return path
  }
  const certificatePath = await file('tls.crt', certificate)
  const keyPath = await file('tls.key', key)
  const tokens = [ADMINISTRATOR, ...users]
    .map(({ token, name, groups }) => `${token},${name},${name},"${groups.join(',')}"\n`)
    .join('')
  const etcdUrl = `http://127.0.0.1:${freePort()}`
  const port = freePort()

  const start = (name: string, command: readonly string[]) =>
    Bun.spawn([...command], {
      cwd: home,
      env: { PATH: '/usr/bin:/bin', HOME: home },
      stdin: 'ignore',
      stdout: Bun.file(join(home, `${name}.log`)),
      stderr: Bun.file(join(home, `${name}.errors`)),
    })
  const kill = async (child: Bun.Subprocess) => {
    child.kill('SIGKILL')
    await child.exited
  }
  const store = start('etcd', [
    etcd,
    `--data-dir=${join(home, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    '--listen-peer-urls=http://127.0.0.1:0',
  ])
  stack.defer(() => kill(store))
  const command = [
    apiServer,
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    `--tls-cert-file=${certificatePath}`,
    `--tls-private-key-file=${keyPath}`,
    `--cert-dir=${join(home, 'certificates')}`,
    `--token-auth-file=${await file('tokens.csv', tokens)}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--service-account-issuer=https://kubernetes.invalid',
    `--service-account-key-file=${certificatePath}`,
    `--service-account-signing-key-file=${keyPath}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]
  let server = start('kube-apiserver', command)
  stack.defer(() => kill(server))
  const url = `https://127.0.0.1:${port}`
  const tls = { ca: authority.certificate }

  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMINISTRATOR.token}`, 'content-type': type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      tls,
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json()
  }

  const isReady = async () =>
    (await fetch(`${url}/readyz`, { tls, signal: AbortSignal.timeout(ANSWER_MS) })).ok
  const ready = () =>
    untilReady(isReady, {
      timeoutMs: START_TIMEOUT_MS,
      hasEnded: () => server.exitCode !== null,
      said: async () => {
        const errors = await Bun.file(join(home, 'kube-apiserver.errors')).text()
        return `the API server did not start: ${errors.slice(-2_000)}`
      },
    })

  await ready()
  const started = stack.move()
  return {
    url,
    authority: authority.certificate,
    ask,
    async restart() {
      server.kill()
      await server.exited
      server = start('kube-apiserver', command)
      await ready()
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
