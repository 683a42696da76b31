import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import { readBody } from '../../../outbound/read-body.ts'
import type { Cluster, ClusterProbe } from '../../../ports/clusters.ts'
import { type ConnectionFailure, connectionFailure } from './failures.ts'
import { readJson } from './read-json.ts'
import { send } from './request.ts'

const PROBE_MS = 2_000
/** The whole body of `/readyz`. A captive proxy answers 200 with a page. */
const READY = Buffer.from('ok')
const VERSION_MAX_BYTES = 16 * 1024
const Version = lazily(() =>
  Compile(Type.Object({ gitVersion: Type.String({ pattern: '^[\\w.+-]{1,64}$' }) })),
)

/** By default clusters allow anonymous requests to `/readyz` and `/version` (ClusterRole `system:public-info-viewer`). */
export async function probe(cluster: Cluster): Promise<ClusterProbe> {
  const sender = { cluster, token: null, signal: AbortSignal.timeout(PROBE_MS) }
  const version = versionOf(sender)
  try {
    const readyz = await send(sender, { path: '/readyz', accept: '*/*' })
    if (readyz.ok) {
      const body = await readBody(readyz.value.body, READY.byteLength)
      return body?.equals(READY) === true
        ? { kind: 'ready', version: await version }
        : { kind: 'not_ready', isApiServer: false }
    }
    const { kind } = readyz.error
    return kind === 'cluster_unauthorized' || kind === 'cluster_forbidden'
      ? { kind: 'answers', version: await version }
      : { kind: 'not_ready', isApiServer: true }
  } catch (error) {
    return unreachable(connectionFailure(error))
  }
}

function unreachable(failure: ConnectionFailure): ClusterProbe {
  switch (failure.kind) {
    case 'cluster_unreachable':
      return { kind: 'unreachable', reason: failure.reason }
    case 'cluster_timeout':
      return { kind: 'unreachable', reason: 'timeout' }
    case 'cluster_tls_error':
      return { kind: 'unreachable', reason: 'tls', code: failure.reason }
    case 'cluster_error':
      return { kind: 'unreachable', reason: 'other' }
  }
}

async function versionOf(sender: Parameters<typeof send>[0]): Promise<string | null> {
  try {
    const answer = await send(sender, { path: '/version' })
    const body = answer.ok ? await readJson(answer.value, VERSION_MAX_BYTES) : answer
    return body.ok && Version().Check(body.value) ? body.value.gitVersion : null
  } catch (error) {
    // Rethrows bugs; a failed connection has no version.
    connectionFailure(error)
    return null
  }
}
