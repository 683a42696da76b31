import { ok } from '../../lib/result.ts'
import { allows, answerAccessReview, forbidden, type RequestAttributes } from './access.ts'
import type { ApiServer } from './api-server-parts.ts'
import { answerLog } from './log.ts'
import { answerMetrics, METRICS } from './metrics.ts'
import { applyPatch, isRolledOut } from './patch.ts'
import {
  answerRefusal,
  badRequest,
  expired,
  notAllowed,
  type Outcome,
  refuse,
  statusObject,
  unknownPath,
} from './refusal.ts'
import {
  apiVersionOf,
  discovery,
  hasTable,
  qualifiedName,
  type Resource,
  resources,
  tableOf,
  versionOf,
} from './resources.ts'
import { parseFieldSelector, parseLabelSelector } from './selectors.ts'
import { type Change, keyOf, withVersion } from './store.ts'
import type { ApiObject } from './objects.ts'

const BOOKMARK_MS = 60_000
const WATCH_SECONDS_MAX = 1_800

const VERSION = { major: '1', minor: '32', gitVersion: 'v1.32.4+portico', platform: 'linux/amd64' }

/** Handles a request in the order of an API server: authentication, authorization, then the resource. */
export const createHandler =
  (server: ApiServer) =>
  async (request: Request): Promise<Response> => {
    const answer = await answerRequest(server, request).catch((error: unknown) => {
      server.onBug(error)
      return refuse(500, 'InternalError', 'Internal error occurred: the simulation has failed')
    })
    const response = answer.ok ? answer.value : answerRefusal(answer.error)
    // The id of the request in the audit log, which the answer repeats.
    response.headers.set('audit-id', request.headers.get('audit-id') || crypto.randomUUID())
    return response
  }

async function answerRequest(server: ApiServer, request: Request): Promise<Outcome<Response>> {
  const { store } = server.cluster
  const url = new URL(request.url)
  const authorization = request.headers.get('authorization')
  const open = request.method === 'GET' ? openAnswer(url.pathname) : undefined
  if (open && authorization === null) return ok(open)

  const [, token] = /^Bearer +([\w\-.~+/]+=*)$/i.exec(authorization ?? '') ?? []
  const user = token === undefined ? undefined : await server.authenticate(token)
  if (user === undefined) return refuse(401, 'Unauthorized', 'Unauthorized')
  if (open) return ok(open)
  const document = request.method === 'GET' ? discovery[url.pathname] : undefined
  if (document) return ok(Response.json(document))

  const attributes = requestAttributes(request.method, url)
  if (attributes === undefined) return unknownPath()
  const { group, resource, subresource, verb } = attributes
  if (resource === 'selfsubjectaccessreviews' && verb === 'create') {
    return answerAccessReview(store, user, request)
  }
  if (!allows(store, user, attributes)) return forbidden(user, attributes)
  if (group === METRICS.group) return answerMetrics(store, attributes, server.clock.now())
  const served = resources.find((each) => each.name === resource && each.group === group)
  const isServed = subresource === '' || `${resource}/${subresource}` === 'pods/log'
  return served && isServed ? serve(server, served, attributes, request) : unknownPath()
}

/** Answers to everybody, as the role `system:public-info-viewer` allows. */
const openAnswer = (path: string): Response | undefined =>
  path === '/version'
    ? Response.json(VERSION)
    : /^\/(?:readyz|livez|healthz)$/.test(path)
      ? new Response('ok')
      : undefined

const PATH =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

const isTrue = (flag: string | null): boolean => flag === 'true' || flag === '1'

/** `undefined` for paths that cannot address a resource. */
function requestAttributes(
  method: string,
  { pathname, searchParams }: URL,
): RequestAttributes | undefined {
  const match = PATH.exec(pathname)
  if (match === null) return undefined
  const [, group = '', version, inNamespace = '', resource = '', name = '', subresource = ''] =
    match
  if (version !== (group === METRICS.group ? METRICS.version : versionOf(group))) return undefined
  const reading = name !== '' ? 'get' : isTrue(searchParams.get('watch')) ? 'watch' : 'list'
  const deleting = name === '' ? 'deletecollection' : 'delete'
  const writing = method === 'DELETE' ? deleting : (VERBS[method] ?? method.toLowerCase())
  const verb = method === 'GET' ? reading : writing
  // A namespace is in itself for the authorizer.
  const namespace = resource === 'namespaces' ? name : inNamespace
  return { group, namespace, resource, name, subresource, verb }
}

async function serve(
  server: ApiServer,
  resource: Resource,
  { verb, name, namespace, subresource }: RequestAttributes,
  request: Request,
): Promise<Outcome<Response>> {
  const { store } = server.cluster
  const query = new URL(request.url).searchParams
  if (!resource.verbs.includes(verb)) return notAllowed()
  if (verb === 'list') return list(server, resource, namespace, request)
  if (verb === 'watch') return watch(server, resource, namespace, request)
  const object = store.get(resource.kind, resource.isClusterWide ? '' : namespace, name)
  if (object === undefined) {
    const { group } = resource
    const details = { name, ...(group && { group }), kind: resource.name }
    return refuse(
      404,
      'NotFound',
      `${qualifiedName(resource.name, group)} "${name}" not found`,
      details,
    )
  }
  if (subresource === 'log' && object.kind === 'Pod') {
    return answerLog(server, object, query, request.signal)
  }
  if (verb === 'patch' && isRolledOut(object)) {
    const patched = applyPatch(object, request.headers.get('content-type'), await request.text())
    if (!patched.ok) return patched
    const { value } = patched
    if (value.kind === 'Deployment') server.cluster.patch(value)
    else store.replace(`${value.kind} ${keyOf(value)}`, [value])
    return ok(Response.json(store.get(value.kind, namespace, name)))
  }
  return ok(Response.json(asTable(server, resource, request)?.([object], {}) ?? object))
}

/** The renderer of tables, if the client wants one. */
function asTable({ clock }: ApiServer, resource: Resource, request: Request) {
  const isWanted = /;as=Table\b/.test(request.headers.get('accept') ?? '') && hasTable(resource)
  if (!isWanted) return undefined
  return (objects: readonly ApiObject[], metadata: object) =>
    tableOf(objects, metadata, clock.now())
}

function parseSelection(
  namespace: string,
  query: URLSearchParams,
): Outcome<(object: ApiObject) => boolean> {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  if (!labels.ok) return labels
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '')
  if (!fields.ok) return fields
  return ok(
    (object) =>
      (namespace === '' || namespace === object.metadata.namespace) &&
      labels.value(object) &&
      fields.value(object),
  )
}

/** The version of the cluster at the first page, and the last key of the page before. */
const TOKEN = /^(\d{1,15}) (.+)$/

function list(
  server: ApiServer,
  resource: Resource,
  namespace: string,
  request: Request,
): Outcome<Response> {
  const { store } = server.cluster
  const query = new URL(request.url).searchParams
  const selects = parseSelection(namespace, query)
  if (!selects.ok) return selects
  const token = query.get('continue') ?? ''
  const [, version = String(store.version), after = ''] =
    TOKEN.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (token !== '' && after === '') {
    return badRequest('invalid continue token: continue key is not valid: it is no token of a list')
  }
  if (store.changesSince(resource.kind, Number(version)) === undefined) {
    return expired(
      'The provided continue parameter is too old to display a consistent list result.',
    )
  }
  const limit = Number(query.get('limit') ?? 0) || Infinity
  // A change between pages comes again in a watch from the version of the list.
  const rest = store
    .list(resource.kind)
    .filter((object) => keyOf(object) > after && selects.value(object))
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  const metadata = {
    resourceVersion: version,
    ...(last &&
      items.length < rest.length && {
        continue: Buffer.from(`${version} ${keyOf(last)}`).toString('base64url'),
      }),
  }
  const apiVersion = apiVersionOf(resource)
  return ok(
    Response.json(
      asTable(server, resource, request)?.(items, metadata) ?? {
        kind: `${resource.kind}List`,
        apiVersion,
        metadata,
        items,
      },
    ),
  )
}

/** Streams every change since the client's version, one line of JSON each. */
function watch(
  server: ApiServer,
  resource: Resource,
  namespace: string,
  request: Request,
): Outcome<Response> {
  const { store } = server.cluster
  const query = new URL(request.url).searchParams
  const selection = parseSelection(namespace, query)
  if (!selection.ok) return selection
  const selects = selection.value
  const render = asTable(server, resource, request)
  const from = Number(query.get('resourceVersion') ?? 0)
  const isInitial = isTrue(query.get('sendInitialEvents')) || !(from > 0)
  const seconds = Number(query.get('timeoutSeconds') ?? 0) || WATCH_SECONDS_MAX

  return server.streams.open('application/json', request.signal, ({ write, end }) => {
    const send = (type: string, object: unknown) => write(`${JSON.stringify({ type, object })}\n`)
    const tell = (type: Change['type'], object: ApiObject) =>
      send(type, render?.([object], {}) ?? object)
    const tellChange = (change: Change) => {
      const event = change.object.kind === resource.kind && eventOf(change, selects)
      if (event) tell(...event)
    }
    const sendBookmark = (annotations?: object) => {
      if (!isTrue(query.get('allowWatchBookmarks'))) return
      const metadata = {
        resourceVersion: String(store.version),
        ...(annotations && { annotations }),
      }
      const bookmark = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata }
      send('BOOKMARK', render?.([], metadata) ?? bookmark)
    }
    // Bun sends headers with the first piece of the body; JSON parsers skip the white space.
    write('\n')
    const changes = isInitial ? [] : store.changesSince(resource.kind, from)
    if (changes === undefined) {
      const message = `too old resource version: ${from} (${store.version})`
      send('ERROR', statusObject(expired(message).error))
      end()
      return () => {}
    }
    if (isInitial) for (const each of store.list(resource.kind).filter(selects)) tell('ADDED', each)
    for (const change of changes) tellChange(change)
    if (isTrue(query.get('sendInitialEvents')))
      sendBookmark({ 'k8s.io/initial-events-end': 'true' })
    const bookmarks = setInterval(sendBookmark, BOOKMARK_MS)
    const timeout = setTimeout(end, Math.min(seconds, WATCH_SECONDS_MAX) * 1_000)
    const unwatch = store.watch(tellChange)
    return () => {
      unwatch()
      clearInterval(bookmarks)
      clearTimeout(timeout)
    }
  })
}

/** The change as a client sees it that selects some of the objects. */
function eventOf(
  { type, version, object, previous }: Change,
  selects: (object: ApiObject) => boolean,
): [Change['type'], ApiObject] | undefined {
  const wasSelected = previous !== undefined && selects(previous)
  if (type !== 'DELETED' && selects(object)) return [wasSelected ? 'MODIFIED' : 'ADDED', object]
  return wasSelected ? ['DELETED', withVersion(previous, version)] : undefined
}
