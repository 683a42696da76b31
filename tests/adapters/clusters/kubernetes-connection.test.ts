import { describe, expect, test } from 'bun:test'
import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import type { ClusterFailure } from '#src/lib/ports/clusters.ts'
import { err } from '#src/lib/result.ts'
import {
  accessTo,
  apiServer,
  authority,
  clusterAt,
  otherAuthority,
} from '#tests/support/api-server.ts'
import { expired } from '#tests/support/certificates.ts'
import { calls, clusters, impatient, list, NAME, PAGE, same } from './calls.ts'
import { answering, type Handler, listen } from './raw-api-server.ts'
import { valueOf } from '#tests/support/value-of.ts'

describe('whom it trusts', () => {
  const tls = (reason: string) => err({ kind: 'cluster_tls_error', reason })

  test('the cluster’s own authority, and for each request that of its cluster', async () => {
    await using server = await apiServer(() => list([]))
    expect(await clusters.pods.list(server.access, PAGE, same)).toMatchObject({ ok: true })
    // The connection is open still, and there is one of a good certificate to the same address.
    const trust = { kind: 'authority', pem: (await otherAuthority()).pem } as const
    const others = accessTo({ ...server.cluster, trust })
    const system = accessTo({ ...server.cluster, trust: { kind: 'system_roots' } })
    for (const [, call] of calls) {
      expect(await call(others)).toStrictEqual(tls('CERT_SIGNATURE_FAILURE'))
      expect(await call(system)).toStrictEqual(tls('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))
    }
    expect(server.sent).toHaveLength(1)
    expect(await clusters.probe(others.cluster)).toStrictEqual({
      kind: 'unreachable',
      reason: 'tls',
      code: 'CERT_SIGNATURE_FAILURE',
    })
  })

  test('whatever the environment says', async () => {
    await using server = await apiServer(() => list([]))
    const trust = { kind: 'authority', pem: (await otherAuthority()).pem } as const
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect(
        await clusters.pods.list(accessTo({ ...server.cluster, trust }), PAGE, same),
      ).toMatchObject({
        error: { kind: 'cluster_tls_error' },
      })
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  test('a certificate that has expired or is of another name is refused', async () => {
    const ca = await authority()
    await using old = await apiServer(() => list([]), await ca.issue(undefined, expired()))
    expect(await clusters.pods.list(old.access, PAGE, same)).toStrictEqual(tls('CERT_HAS_EXPIRED'))
    await using other = await apiServer(() => list([]), await ca.issue(['k8s.example']))
    expect(await clusters.pods.list(other.access, PAGE, same)).toStrictEqual(
      tls('ERR_TLS_CERT_ALTNAME_INVALID'),
    )
    const named = { ...other.cluster, tlsServerName: 'k8s.example' }
    expect(await clusters.pods.list(accessTo(named), PAGE, same)).toMatchObject({ ok: true })
    // Not by the connection that was opened under the other name.
    expect(await clusters.pods.list(other.access, PAGE, same)).toMatchObject({ ok: false })
  })
})

describe('a connection that fails', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  const reset: ClusterFailure = { kind: 'cluster_unreachable', reason: 'connection_reset' }

  // prettier-ignore
  test.each<[string, 'tcp' | 'tls', Handler, { readonly kind: string; readonly reason?: string }]>([
    ['reset at once',             'tcp', (socket) => socket.destroy(), reset],
    ['plain HTTP on the port',    'tcp', answering('HTTP/1.1 400 Bad Request\r\n\r\n', 'end'), { kind: 'cluster_tls_error' }],
    ['no HTTP at all',            'tls', answering('SSH-2.0-OpenSSH\r\n\r\n', 'end'), { kind: 'cluster_error', reason: 'Malformed_HTTP_Response' }],
    ['a length that is none',     'tls', answering(`${head}content-length: ten\r\n\r\n{}`, 'end'), { kind: 'cluster_error', reason: 'InvalidContentLength' }],
    ['chunks that are none',      'tls', answering(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'end'), { kind: 'cluster_error', reason: 'InvalidHTTPResponse' }],
    ['half a body, of a length',  'tls', answering(`${head}content-length: 1000\r\n\r\n{"metadata":`, 'end'), reset],
    ['half a body, in chunks',    'tls', answering(`${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, 'end'), reset],
    ['a body that is reset',      'tls', answering(`${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, 'destroy'), reset],
    ['a body not compressed',     'tls', answering(`${head}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd`, 'stay'), { kind: 'cluster_error' }],
    ['never an answer',           'tls', () => {}, { kind: 'cluster_timeout' }],
    ['never a handshake',         'tcp', () => {}, { kind: 'cluster_timeout' }],
    ['never the end of the body', 'tls', answering(`${head}content-length: 1000\r\n\r\n{`, 'stay'), { kind: 'cluster_timeout' }],
  ])('%s', async (_, kind, handler, expected) => {
    using server = await listen(kind, handler)
    const by = expected.kind === 'cluster_timeout' ? impatient : clusters
    expect(await by.pods.list(server.access, PAGE, same)).toMatchObject({ ok: false, error: expected })
  })

  test.each(calls)('%s: refused, and a name that is not there', async (_, call) => {
    const refused = accessTo(await clusterAt('https://127.0.0.1:1'))
    expect(await call(refused)).toStrictEqual(
      err({ kind: 'cluster_unreachable', reason: 'connection_refused' }),
    )
    const unknown = accessTo(await clusterAt('https://no-such-host.invalid:6443'))
    expect(await call(unknown)).toStrictEqual(
      err({ kind: 'cluster_unreachable', reason: 'host_not_found' }),
    )
  })

  test('never an answer is a time-out of every call', async () => {
    const outcomes = calls.map(async ([name, call]) => {
      using server = await listen('tls', () => {})
      return [name, await call(server.access, impatient)]
    })
    expect(await Promise.all(outcomes)).toStrictEqual(
      calls.map(([name]) => [name, err({ kind: 'cluster_timeout' })]),
    )
  })

  test('who does not wait any more ends the request', async () => {
    using server = await listen('tls', () => {})
    const signal = AbortSignal.timeout(20)
    const patient = kubernetesClient({ deadlineMs: 3_600_000 })
    const left = await patient.pods.list({ ...server.access, signal }, PAGE, same)
    expect(left).toMatchObject({ ok: false })
  })

  test('a log that breaks off does not look complete', async () => {
    using server = await listen(
      'tls',
      answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n', 'end'),
    )
    const query = { container: null, follow: true, previous: false, tailLines: null }
    const log = valueOf(await clusters.log(server.access, NAME, query))
    expect(await new Response(log).text().catch((error: unknown) => error)).toBeInstanceOf(Error)
  })
})

test('a followed log may be silent for longer than Bun leaves a connection idle', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch() {
      // Bun's timer has steps of four seconds.
      async function* log() {
        yield 'before\n'
        await Bun.sleep(9_000)
        yield 'after\n'
      }
      return new Response(log())
    },
  })
  const program = `${import.meta.dir}/follow-log.ts`
  const child = Bun.spawn([process.execPath, program, server.url.origin], {
    env: { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
    stderr: 'inherit',
  })
  expect(await child.stdout.text()).toBe('before\nafter\n')
  await server.stop(true)
})
