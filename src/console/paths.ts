/** Paths of the pages. The server answers exactly these; `:name` stands for one segment. */
export const PATHS = {
  home: '/',
  catalog: '/catalog',
  group: '/entities/group/:name',
  entity: '/entities/:kind/:name',
  docs: '/entities/:kind/:name/docs',
  definition: '/entities/:kind/:name/definition',
  templates: '/new',
  newProject: '/new/:template',
  run: '/runs/:id',
  clusters: '/clusters',
  namespace: '/clusters/:cluster/:namespace',
  pod: '/clusters/:cluster/:namespace/pods/:pod',
  workload: '/clusters/:cluster/:namespace/workloads/:kind/:name',
  problems: '/problems',
  audit: '/audit',
  record: '/audit/:id',
  cli: '/cli',
  sessions: '/sessions',
} as const

/** Query parameters of the catalog. */
export const FILTERS = [
  'kind',
  'type',
  'owner',
  'system',
  'tag',
  'lifecycle',
  'mine',
  'q',
  'sort',
] as const

export type PageName = keyof typeof PATHS

/** Names of the parameters of a path: `'/entities/:kind/:name'` → `'kind' | 'name'`. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParameterOf<Tail>
    : Rest
  : never

export type PageParameters<Page extends PageName> = Readonly<
  Record<ParameterOf<(typeof PATHS)[Page]>, string>
>

/** Properties of the component of a page. */
export interface PageProps<Page extends PageName> {
  readonly parameters: PageParameters<Page>
}

export type Query = Readonly<Record<string, string | undefined>>

/** Address of a page. Parameters are percent-encoded; empty query values are left out. */
export function pathOf<Page extends PageName>(
  page: Page,
  parameters: PageParameters<Page>,
  query: Query = {},
): string {
  const named: Readonly<Record<string, string>> = parameters
  const path = PATHS[page].replaceAll(/:([a-z]+)/g, (_, name: string) =>
    encodeURIComponent(named[name] ?? ''),
  )
  return `${path}${searchOf(query)}`
}

/** Page of an entity of the API, which writes kinds as `Component`. */
export const entityPath = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
  pathOf('entity', { kind: kind.toLowerCase(), name })

/** `?a=b`, or nothing. Commas stay readable: they separate the values of a filter. */
export function searchOf(query: Query): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const search = new URLSearchParams(given).toString().replaceAll('%2C', ',')
  return search === '' ? '' : `?${search}`
}

/** Page of an address, with its decoded parameters. */
export interface PageAddress {
  readonly page: PageName
  readonly parameters: Readonly<Record<string, string>>
}

const matchers = Object.entries(PATHS).map(([page, path]) => ({
  page,
  pattern: new RegExp(`^${path.replaceAll(/:([a-z]+)/g, '(?<$1>[^/]+)')}$`),
}))

const isPageName = (name: string): name is PageName => Object.hasOwn(PATHS, name)

/** Page of a path; `undefined` when there is none, or when its percent-encoding is broken. */
export function pageOf(path: string): PageAddress | undefined {
  for (const { page, pattern } of matchers) {
    const found = pattern.exec(path)
    if (found === null || !isPageName(page)) continue
    try {
      const parameters = Object.entries(found.groups ?? {}).map(
        ([name, value]) => [name, decodeURIComponent(value)] as const,
      )
      return { page, parameters: Object.fromEntries(parameters) }
    } catch {
      return undefined
    }
  }
  return undefined
}
