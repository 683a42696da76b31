/** Facts that authorization decides on, as in Kubernetes' `authorizer.Attributes`. The resource need not exist. */
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
/** Subresources of a namespace; other segments after its name are resources inside it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Undefined for paths that cannot address a resource. */
export function requestAttributes(
  method: string,
  { pathname, searchParams }: URL,
): RequestAttributes | undefined {
  const parts = decode(pathname)
  if (parts === undefined) return undefined
  const [root, ...rest] = parts
  const [group, version, ...path] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : []
  if (group === undefined || version !== 'v1' || path.length === 0) return undefined

  const target = parseTarget(path)
  const name = target.name ?? nameOfSelector(searchParams)
  return { group, ...target, name, verb: verbOf(method, target.name, searchParams) }
}

function decode(pathname: string): readonly string[] | undefined {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function parseTarget(path: readonly string[]) {
  const [first = '', second, third] = path
  const isInside =
    first === 'namespaces' && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third)
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

/** A list that selects one object by name is authorized for that object. */
const nameOfSelector = (query: URLSearchParams): string | undefined =>
  /^metadata\.name==?([^,=]+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
