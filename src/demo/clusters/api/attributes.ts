/** What a request wants, before anybody asks whether there is such a thing: what access is decided on. */
export interface RequestAttributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }
/** Parts of a namespace, and not of what is in it. */
const OF_NAMESPACE: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Nothing for a path that no resource can be at. */
export function requestAttributes(
  method: string,
  { pathname, searchParams }: URL,
): RequestAttributes | undefined {
  const parts = decode(pathname)
  if (parts === undefined) return undefined
  const [root, ...rest] = parts
  const [group, version, ...path] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : []
  if (group === undefined || version !== 'v1' || path.length === 0) return undefined

  const place = locate(path)
  const name = place.name ?? nameOfSelector(searchParams)
  return { group, ...place, name, verb: verbOf(method, place.name, searchParams) }
}

function decode(pathname: string): readonly string[] | undefined {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function locate(path: readonly string[]) {
  const [first = '', second, third] = path
  const isInside = first === 'namespaces' && third !== undefined && !OF_NAMESPACE.has(third)
  const [resource = '', name, subresource] = isInside ? path.slice(2) : path
  const namespace = first === 'namespaces' ? second : undefined
  return { resource, name, subresource, namespace }
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  if (READS.has(method)) {
    if (name !== undefined) return 'get'
    return isTrue(query.get('watch')) ? 'watch' : 'list'
  }
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete'
  return VERBS[method] ?? method.toLowerCase()
}

export const isTrue = (flag: string | null): boolean => flag === 'true' || flag === '1'

/** A list of the one object of a name is about that object. */
const nameOfSelector = (query: URLSearchParams): string | undefined =>
  /^metadata\.name==?([^,=]+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
