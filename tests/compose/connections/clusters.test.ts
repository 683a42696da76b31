import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { checkClusters } from '#src/compose/connections/clusters.ts'
import { apiServer, authority, otherAuthority } from '#tests/support/api-server.ts'
import { expired } from '#tests/support/certificates.ts'
import { freePort } from '#tests/support/free-port.ts'

const kubernetes = createKubernetes({ requestsAtOnce: 16 })
const check = (path: string) =>
  checkClusters({ path, environments: [], kubernetes, clock: systemClock })

/** A registry file of these clusters. */
async function registry(
  clusters: readonly { readonly id: string; readonly port: number; readonly ca: string }[],
) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-clusters-'))
  const path = join(directory, 'clusters.yaml')
  const entries = clusters.map(
    ({ id, port, ca }) =>
      `  - id: ${id}\n    name: ${id}\n    apiServer: https://127.0.0.1:${port}\n    caData: ${Buffer.from(ca).toString('base64')}\n    groups: [payments]\n`,
  )
  await Bun.write(path, `apiVersion: portal/v1\nclusters:\n${entries.join('')}`)
  return { path, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}

test('each cluster is a line: ready, answering, not ready, a proxy, dark, of another authority, expired', async () => {
  const [ours, others] = [(await authority()).pem, (await otherAuthority()).pem]
  const version = () => Response.json({ gitVersion: 'v1.37.0' })
  const serve = (readyz: () => Response) =>
    apiServer((_, { path }) => (path === '/version' ? version() : readyz()))
  await using ready = await serve(() => new Response('ok'))
  await using closed = await serve(() =>
    Response.json({ kind: 'Status', code: 401 }, { status: 401 }),
  )
  await using broken = await serve(() => new Response('etcd failed', { status: 500 }))
  const captive = '<html>Sign in to the network</html>'
  await using proxy = await serve(() => new Response(captive))
  const old = await (await authority()).issue(undefined, expired())
  await using past = await apiServer(() => new Response('ok'), old)
  const dark = freePort()
  const hostOf = ({ cluster }: typeof ready) => new URL(cluster.apiServer).host
  const portOf = (server: typeof ready) => Number(hostOf(server).split(':')[1])
  await using file = await registry([
    { id: 'ready', port: portOf(ready), ca: ours },
    { id: 'closed', port: portOf(closed), ca: ours },
    { id: 'broken', port: portOf(broken), ca: ours },
    { id: 'proxy', port: portOf(proxy), ca: ours },
    { id: 'dark', port: dark, ca: ours },
    { id: 'other', port: portOf(ready), ca: others },
    { id: 'past', port: portOf(past), ca: ours },
  ])
  expect(await check(file.path)).toStrictEqual([
    {
      ok: true,
      text: `ready (${hostOf(ready)}) is ready, Kubernetes v1.37.0; its certificate is valid.`,
    },
    {
      ok: true,
      text: `closed (${hostOf(closed)}) answers, Kubernetes v1.37.0; its certificate is valid. It refuses anonymous requests, so its health is not known.`,
    },
    { ok: false, text: `broken (${hostOf(broken)}) answers, but is not ready.` },
    {
      ok: false,
      text: `proxy (${hostOf(proxy)}) does not answer as an API server does: check apiServer in the registry, and HTTPS_PROXY and NO_PROXY.`,
    },
    {
      ok: false,
      text: `dark (127.0.0.1:${dark}) refuses the connection: nothing listens at this address and port.`,
    },
    {
      ok: false,
      text: `The certificate of other (${hostOf(ready)}) is not signed by a trusted authority: the one in the registry (caFile or caData) did not sign it.`,
    },
    { ok: false, text: `The certificate of past (${hostOf(past)}) has expired.` },
  ])
})

test('mistakes in the registry are lines with their place', async () => {
  await using file = await registry([{ id: 'Wrong', port: 6443, ca: 'nothing' }])
  const findings = await check(file.path)
  expect(findings.every(({ ok }) => !ok)).toBe(true)
  expect(
    findings.map(({ text }) => text.slice(file.path.length, file.path.length + 5)),
  ).toStrictEqual([':3:9:', ':6:13'])
  expect(await check('/nowhere/clusters.yaml')).toStrictEqual([
    { ok: false, text: '/nowhere/clusters.yaml cannot be read (ENOENT)' },
  ])
})

test('no registry is fine', async () => {
  expect(await check('')).toStrictEqual([
    { ok: true, text: 'There are no clusters: CLUSTERS_FILE is not set.' },
  ])
})
