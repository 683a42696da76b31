/** Paths of the pages. The server answers exactly these; `:name` stands for one segment. */
export const PATHS = {
  catalog: '/',
  entity: '/entities/:kind/:name',
  templates: '/new',
  newProject: '/new/:template',
  run: '/runs/:id',
  waiting: '/waiting',
  clusters: '/clusters',
  namespace: '/clusters/:cluster/:namespace',
  pod: '/clusters/:cluster/:namespace/pods/:pod',
  problems: '/problems',
  audit: '/audit',
  cli: '/cli',
  sessions: '/sessions',
} as const
