import { ok } from '../../../lib/result.ts'
import type { ApiObject, ClusterEvent, Deployment, Kinds, Resource } from '../objects.ts'
import type { ObjectKey, Store } from '../store.ts'
import { readSpec } from './deployment-rules.ts'
import { isObject, parseJson } from '../../../lib/text/json.ts'
import { mergePatch, strategicMerge } from './merge.ts'
import { readMetadata } from './metadata-rules.ts'
import { invalid, notFound } from './object-refusal.ts'
import { badRequest, type Outcome, unsupportedMediaType } from './refusal.ts'
import { resources } from './resources.ts'

type Merge = (target: unknown, patch: unknown) => unknown

const merges: ReadonlyMap<string, Merge> = new Map([
  ['application/merge-patch+json', mergePatch],
  ['application/strategic-merge-patch+json', strategicMerge],
])

export interface ParsedPatch {
  readonly merge: Merge
  readonly body: Readonly<Record<string, unknown>>
}

export function parsePatch(contentType: string, text: string): Outcome<ParsedPatch> {
  const [mediaType = ''] = contentType.split(';')
  const merge = merges.get(mediaType.trim().toLowerCase())
  if (merge === undefined) return unsupportedMediaType(...merges.keys())
  const body = parseJson(text)
  return isObject(body)
    ? ok({ merge, body })
    : badRequest('error decoding patch: not a JSON object')
}

export function applyPatch<Of extends Resource>(
  store: Store,
  resource: Of,
  key: ObjectKey,
  { merge, body }: ParsedPatch,
  isDryRun: boolean,
): Outcome<Kinds[Of]> {
  const before = store.get(resource, key)
  if (before === undefined) return notFound(resource, key.name)
  const merged = merge(before, body)
  if (!isObject(merged)) return badRequest('error decoding patch: not an object')
  const metadata = readMetadata(resource, before, merged['metadata'])
  if (!metadata.ok) return metadata
  const admitted = admit[resource]({ ...before, metadata: metadata.value }, merged['spec'])
  if (!admitted.ok || isDryRun) return admitted
  return ok(store.put(resource, admitted.value))
}

type Admission<Kind> = (before: Kind, spec: unknown) => Outcome<Kind>

const admitDeployment: Admission<Deployment> = (before, patched) => {
  const spec = readSpec(before, patched)
  if (!spec.ok) return spec
  if (Bun.deepEquals(spec.value, before.spec)) return ok(before)
  const metadata = { ...before.metadata, generation: before.metadata.generation + 1 }
  return ok({ ...before, metadata, spec: spec.value })
}

const keepsSpec =
  <Kind extends Exclude<ApiObject, ClusterEvent>>(resource: Resource): Admission<Kind> =>
  (before, spec) =>
    Bun.deepEquals(spec, before.spec)
      ? ok(before)
      : invalid(resources[resource], before.metadata.name, [
          {
            reason: 'FieldValueForbidden',
            field: 'spec',
            message: 'Forbidden: may not be changed',
          },
        ])

/** The specification of a deployment may change; other objects change their labels and annotations only. */
const admit: { readonly [Of in Resource]: Admission<Kinds[Of]> } = {
  deployments: admitDeployment,
  pods: keepsSpec('pods'),
  replicasets: keepsSpec('replicasets'),
  namespaces: keepsSpec('namespaces'),
  events: ok,
}
