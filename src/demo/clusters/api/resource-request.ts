import { ok } from '../../../lib/result.ts'
import type { Resource } from '../objects.ts'
import type { RequestAttributes } from './attributes.ts'
import { list } from './list.ts'
import { parseListOptions } from './list-options.ts'
import { answerLog } from './log.ts'
import { applyPatch, parsePatch } from './patch.ts'
import { notFound } from './object-refusal.ts'
import { notAllowed, type Outcome, tooLarge, unknownPath } from './refusal.ts'
import { chooseRepresentation } from './representation.ts'
import { isResource, resources } from './resources.ts'
import { watch, type ClusterParts } from './watch.ts'

const BODY_BYTES_MAX = 1_048_576

/** Serves an authorized request for a resource. */
export async function serveResource(
  parts: ClusterParts,
  attributes: RequestAttributes,
  request: Request,
): Promise<Outcome<Response>> {
  const { resource, group, subresource } = attributes
  if (!isResource(resource) || resources[resource].group !== group) return unknownPath()
  if (subresource === 'log' && resource === 'pods') return serveLog(parts, attributes, request)
  if (subresource !== undefined) return unknownPath()
  return serve(parts, resource, attributes, request)
}

function serveLog(
  parts: ClusterParts,
  { verb, name = '', namespace = '' }: RequestAttributes,
  request: Request,
): Outcome<Response> {
  if (verb !== 'get') return notAllowed()
  const pod = parts.store.get('pods', { namespace, name })
  if (pod === undefined) return notFound('pods', name)
  return answerLog(parts, pod, new URL(request.url).searchParams, request.signal)
}

async function serve(
  parts: ClusterParts,
  resource: Resource,
  { verb, name = '', namespace }: RequestAttributes,
  request: Request,
): Promise<Outcome<Response>> {
  const { store, timeline } = parts
  const { searchParams: query } = new URL(request.url)
  const key = resources[resource].namespaced ? { namespace: namespace ?? '', name } : { name }
  const representation = chooseRepresentation(resource, request.headers.get('accept'), query, () =>
    timeline.now(),
  )
  if (!representation.ok) return representation
  switch (verb) {
    case 'get': {
      const object = store.get(resource, key)
      return object ? ok(Response.json(representation.value.one(object))) : notFound(resource, name)
    }
    case 'list': {
      const options = parseListOptions(resource, namespace, query)
      if (!options.ok) return options
      const page = list(store, resource, options.value)
      return page.ok
        ? ok(Response.json(representation.value.list(page.value.items, page.value.metadata)))
        : page
    }
    case 'watch': {
      const options = parseListOptions(resource, namespace, query)
      if (!options.ok) return options
      const { signal } = request
      return watch(parts, {
        resource,
        options: options.value,
        representation: representation.value,
        signal,
      })
    }
    case 'patch': {
      const text = await readBody(request)
      if (!text.ok) return text
      const patch = parsePatch(request.headers.get('content-type') ?? '', text.value)
      if (!patch.ok) return patch
      const patched = applyPatch(store, resource, key, patch.value, query.has('dryRun'))
      return patched.ok ? ok(Response.json(representation.value.one(patched.value))) : patched
    }
    default:
      return notAllowed()
  }
}

async function readBody(request: Request): Promise<Outcome<string>> {
  const bytes = await request.bytes()
  return bytes.length > BODY_BYTES_MAX
    ? tooLarge(BODY_BYTES_MAX)
    : ok(new TextDecoder().decode(bytes))
}
