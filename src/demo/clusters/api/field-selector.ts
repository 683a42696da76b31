import { ok } from '../../../lib/result.ts'
import type { ApiObject, ClusterEvent, Kinds, Pod, Resource } from '../objects.ts'
import { badRequest, type Outcome } from './refusal.ts'

type Fields<Of extends Resource> = Readonly<
  Record<string, (object: Kinds[Of]) => string | undefined>
>

const metadata = {
  'metadata.name': (object: ApiObject) => object.metadata.name,
  'metadata.namespace': (object: ApiObject) => object.metadata.namespace,
}

/** The fields that a selector may name. */
const fields: { readonly [Of in Resource]: Fields<Of> } = {
  pods: {
    ...metadata,
    'spec.nodeName': ({ spec }: Pod) => spec.nodeName,
    'status.phase': ({ status }: Pod) => status.phase,
  },
  deployments: metadata,
  replicasets: metadata,
  namespaces: metadata,
  events: {
    ...metadata,
    'involvedObject.kind': ({ involvedObject }: ClusterEvent) => involvedObject.kind,
    'involvedObject.namespace': ({ involvedObject }: ClusterEvent) => involvedObject.namespace,
    'involvedObject.name': ({ involvedObject }: ClusterEvent) => involvedObject.name,
    'involvedObject.uid': ({ involvedObject }: ClusterEvent) => involvedObject.uid,
    'involvedObject.apiVersion': ({ involvedObject }: ClusterEvent) => involvedObject.apiVersion,
    'involvedObject.fieldPath': ({ involvedObject }: ClusterEvent) => involvedObject.fieldPath,
    reason: ({ reason }: ClusterEvent) => reason,
    source: ({ source }: ClusterEvent) => source?.component,
    type: ({ type }: ClusterEvent) => type,
  },
}

const TERM = /^([^=!]+?)(==?|!=)(.*)$/

/** Parses selectors such as `metadata.name=web-0,status.phase!=Failed`. */
export function parseFieldSelector<Of extends Resource>(
  resource: Of,
  text: string | null,
): Outcome<(object: Kinds[Of]) => boolean> {
  const terms: ((object: Kinds[Of]) => boolean)[] = []
  for (const part of (text ?? '').split(',').filter((term) => term !== '')) {
    const [, field = '', operator, value] = TERM.exec(part) ?? []
    if (operator === undefined) {
      return badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
    }
    const known = fields[resource]
    const read = Object.hasOwn(known, field) ? known[field] : undefined
    if (read === undefined) return badRequest(`field label not supported: ${field}`)
    terms.push((object) => ((read(object) ?? '') === value) === (operator !== '!='))
  }
  return ok((object) => terms.every((isMet) => isMet(object)))
}
