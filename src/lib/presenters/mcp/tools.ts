/** JSON Schema of an argument. */
type Argument = Readonly<Record<string, unknown>>

/** A tool is a request of a route: its checks, limits, audit and answer are those of the route. */
export interface Tool {
  readonly description: string
  readonly method: 'GET' | 'POST'
  /** Pattern of the route. Arguments of its names go into the path, others into the query, or of `POST` into the body. */
  readonly route: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly arguments: Readonly<Record<string, Argument>>
  readonly required?: readonly string[]
}

const text = (description: string): Argument => ({ type: 'string', description })
const limit = (fallback: number): Argument => ({
  type: 'integer',
  minimum: 1,
  maximum: 50,
  default: fallback,
})
const flag = (description: string): Argument => ({ type: 'boolean', description })
const strings = { type: 'string' }

const entity = {
  kind: { type: 'string', default: 'component', description: 'such as component, system, api' },
  name: text('Name of the entity'),
}
const project = {
  templateId: text('Id of a template of templates_list'),
  appName: text('Lower-case letters, digits and dashes, such as payments-api'),
  team: text('A team of yours, see whoami'),
  namespace: text('Kubernetes namespace'),
  description: text('One line'),
  features: { type: 'object', description: 'database, externalSecrets, ingress: true or false' },
  parameters: { type: 'object', description: 'As the schema `parameters` of the template says' },
}
const move = {
  ...entity,
  targetLifecycle: text(
    'The `lifecycle` of an environment of promotion_get, or deprecated. The lifecycle of an environment that is live makes it a release',
  ),
  overlayConfig: {
    type: 'object',
    description: 'What changes. Never secrets: a person enters those in the portal',
    properties: {
      image: {
        type: 'object',
        properties: { tag: strings, digest: strings, from: text('An environment: its image') },
      },
      replicas: { type: 'integer' },
      resources: { type: 'object', description: 'requests and limits, each with cpu and memory' },
      ingress: { type: 'object', properties: { host: strings } },
      database: { type: 'object', properties: { tier: { enum: ['shared', 'dedicated'] } } },
    },
  },
  message: text('One line for the reviewer'),
}
const PROMOTION = '/api/v1/catalog/entities/:kind/:name/promotion'

export const toolTable: Readonly<Record<string, Tool>> = {
  whoami: {
    description: 'The person you act for, with their teams',
    method: 'GET',
    route: '/api/v1/auth/session',
    arguments: {},
  },
  catalog_search: {
    description: 'Find services, systems, APIs and other entities of the catalog',
    method: 'GET',
    route: '/api/v1/catalog/entities',
    arguments: {
      q: text('Words to look for'),
      kind: strings,
      owner: strings,
      system: strings,
      lifecycle: strings,
      type: strings,
      tag: strings,
      mine: flag('Only of your teams'),
      limit: limit(20),
      offset: { type: 'integer' },
    },
  },
  catalog_get: {
    description: 'One entity of the catalog',
    method: 'GET',
    route: '/api/v1/catalog/entities/:kind/:name',
    arguments: entity,
    required: ['name'],
  },
  catalog_problems: {
    description: 'Broken files and references of the catalog',
    method: 'GET',
    route: '/api/v1/catalog/problems',
    arguments: { limit: limit(20), offset: { type: 'integer' } },
  },
  catalog_validate: {
    description: 'Check an entity before it is committed; nothing is written',
    method: 'POST',
    route: '/api/v1/catalog/validate',
    arguments: {
      apiVersion: strings,
      kind: strings,
      metadata: { type: 'object' },
      spec: { type: 'object' },
    },
    required: ['kind', 'metadata', 'spec'],
  },
  templates_list: {
    description: 'Templates of new projects, with the schema of their parameters',
    method: 'GET',
    route: '/api/v1/scaffold/templates',
    arguments: {},
  },
  scaffold_preview: {
    description: 'The files that a new project would have; nothing is written',
    method: 'POST',
    route: '/api/v1/scaffold',
    query: { dryRun: 'true' },
    arguments: project,
    required: ['templateId', 'appName', 'team', 'namespace'],
  },
  scaffold_start: {
    description:
      'Start a project: repository, and a pull request that a person merges. Answers a runId for run_get. The same request again joins the run',
    method: 'POST',
    route: '/api/v1/scaffold',
    headers: { prefer: 'respond-async' },
    arguments: project,
    required: ['templateId', 'appName', 'team', 'namespace'],
  },
  run_get: {
    description: 'How far a started project is',
    method: 'GET',
    route: '/api/v1/scaffold/runs/:id',
    arguments: { id: text('runId of scaffold_start') },
    required: ['id'],
  },
  environments: {
    description: 'What runs where: applications with image and state in each environment',
    method: 'GET',
    route: '/api/v1/environments',
    arguments: {
      team: strings,
      system: strings,
      mine: flag('Only of your teams'),
      limit: limit(20),
    },
  },
  promotion_get: {
    description:
      'Environments of an application, open pull requests, clusters, and what can be done now or why not',
    method: 'GET',
    route: PROMOTION,
    arguments: entity,
    required: ['name'],
  },
  promotion_history: {
    description: 'What ran in an environment, newest first',
    method: 'GET',
    route: `${PROMOTION}/history`,
    arguments: { ...entity, environment: strings, limit: limit(20) },
    required: ['name', 'environment'],
  },
  promotion_preview: {
    description: 'The files and differences of a promotion or release; nothing is written',
    method: 'POST',
    route: PROMOTION,
    query: { dryRun: 'true' },
    arguments: move,
    required: ['name', 'targetLifecycle'],
  },
  promotion_request: {
    description:
      'Open or update the pull request of a promotion or release, which a person merges. Confirming it is for a person too',
    method: 'POST',
    route: PROMOTION,
    arguments: move,
    required: ['name', 'targetLifecycle'],
  },
  promotions_list: {
    description: 'Open pull requests of the portal, and promotions that wait for a confirmation',
    method: 'GET',
    route: '/api/v1/promotions',
    arguments: {
      team: strings,
      mine: flag('Only of your teams'),
      waitsFor: { enum: ['review', 'confirm'] },
      limit: limit(20),
    },
  },
  app_status: {
    description:
      'The pods of an application; cluster, namespace and labelSelector are in runsOn of promotion_get',
    method: 'GET',
    route: '/api/v1/clusters/:clusterId/namespaces/:namespace/pods',
    arguments: { clusterId: strings, namespace: strings, labelSelector: strings },
    required: ['clusterId', 'namespace'],
  },
}

/** Whether it changes nothing. */
export const isReading = ({ method, query, route }: Tool): boolean =>
  method === 'GET' || query?.['dryRun'] === 'true' || route === '/api/v1/catalog/validate'

/** An answer for `tools/list`. */
export const toolAnswer = (name: string, tool: Tool) => ({
  name,
  description: tool.description,
  inputSchema: {
    type: 'object',
    properties: tool.arguments,
    ...(tool.required !== undefined && { required: tool.required }),
    additionalProperties: false,
  },
  annotations: {
    readOnlyHint: isReading(tool),
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
})
