import { Type } from 'typebox'
import { type Run, STEPS } from '../../domain/scaffold/run.ts'
import type { Template } from '../../domain/scaffold/template.ts'
import { ParametersSchema, ParameterValue } from '../../domain/scaffold/parameters/schema.ts'
import { RunId } from '../../names.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { timeBody } from '../time.ts'

const Feature = Type.Object({ supported: Type.Boolean(), default: Type.Boolean() })

/** Open, unlike the schema that checks templates: a generated Java client of that one has two fields called `additionalProperties`. */
const TemplateParameters = Type.Object(ParametersSchema.properties, { $id: 'TemplateParameters' })

export const ScaffoldTemplate = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    type: Type.String({ description: '`spec.type` of the component' }),
    tags: Type.Array(Type.String()),
    owner: Type.String(),
    version: Type.String(),
    revision: Type.String({ description: 'Commit of the templates repository' }),
    deprecated: Type.Boolean(),
    features: Type.Object({ database: Feature, externalSecrets: Feature, ingress: Feature }),
    parameters: Type.Optional(TemplateParameters),
  },
  { $id: 'ScaffoldTemplate' },
)

export function templateBody(template: Template) {
  const { skeleton: _, gitops: __, parameters, ...facts } = template
  return { ...facts, ...(parameters !== undefined && { parameters: parameters.schema }) }
}

export const RunStatus = Type.Enum(['running', 'complete', 'failed'])

export const runStep = (name: string, steps: readonly string[]) =>
  Type.Object(
    {
      step: Type.Enum([...steps]),
      status: Type.Enum(['in_progress', 'complete', 'skipped', 'failed']),
      message: Type.String(),
    },
    { $id: name },
  )

export const RunStep = runStep('RunStep', STEPS)

const failure = {
  step: Type.String(),
  code: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean({ description: 'Whether a retry can succeed' }),
}

export const runFailure = Type.Object(failure, { $id: 'RunFailure' })

/** Data of the event `done`. */
export const RunDone = Type.Object(
  {
    prStatus: Type.String(),
    repoUrl: Type.String(),
    prUrl: Type.String(),
    prNumber: Type.Integer(),
    runId: Type.String(),
  },
  { $id: 'RunDone' },
)

/** Data of the event `failed`. Of a move without addresses. */
export const RunFailed = Type.Object(
  {
    runId: Type.String(),
    ...failure,
    repoUrl: Nullable(Type.String()),
    prUrl: Nullable(Type.String()),
  },
  { $id: 'RunFailed' },
)

export const ParameterValues = Type.Record(Type.String(), ParameterValue, {
  description: 'A value for each parameter of the template',
})

export const AcceptedRun = Type.Object(
  {
    runId: Type.String(),
    status: RunStatus,
    eventsUrl: Type.String({ description: 'Path of the stream of the run' }),
  },
  { $id: 'AcceptedRun' },
)

export const ScaffoldRun = Type.Object(
  {
    id: Type.String(),
    status: RunStatus,
    templateId: Type.String(),
    appName: Type.String(),
    team: Type.String(),
    namespace: Type.String(),
    parameters: ParameterValues,
    createdBy: Person,
    createdAt: Type.String({ format: 'date-time' }),
    finishedAt: Nullable(Type.String({ format: 'date-time' })),
    steps: Type.Array(RunStep, { description: 'Steps that have begun' }),
    repoUrl: Nullable(Type.String()),
    prUrl: Nullable(Type.String()),
    prNumber: Nullable(Type.Integer()),
    failure: Nullable(runFailure),
  },
  { $id: 'ScaffoldRun' },
)

export function runBody({ id, status, spec, state, createdAt, finishedAt }: Run) {
  const { repoUrl, prUrl, prNumber } = state.made
  return {
    id,
    status,
    templateId: spec.templateId,
    appName: spec.app,
    team: spec.team,
    namespace: spec.namespace,
    parameters: spec.parameters ?? {},
    createdBy: { subject: spec.createdBy.subject, name: spec.createdBy.name },
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: timeBody(finishedAt),
    steps: STEPS.flatMap((step) => {
      const known = state.steps[step]
      return known === undefined ? [] : [{ step, ...known }]
    }),
    repoUrl,
    prUrl,
    prNumber,
    failure: status === 'failed' ? state.failed : null,
  }
}

const EXAMPLE_ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'

export const RunParameters = Type.Object({
  id: named(RunId, { description: 'Id of a run', examples: [EXAMPLE_ID] }),
})

export const exampleRun = {
  id: EXAMPLE_ID,
  status: 'complete',
  templateId: 'bun-service',
  appName: 'refund-api',
  team: 'payments',
  namespace: 'payments-dev',
  parameters: { port: 8080, databaseSize: 'small' },
  createdBy: { subject: 'dev', name: 'Dana Developer' },
  createdAt: '2026-11-21T09:30:00.000Z',
  finishedAt: '2026-11-21T09:30:01.000Z',
  steps: [{ step: 'create_repo', status: 'complete', message: 'Created acme/refund-api' }],
  repoUrl: 'https://git.example.org/acme/refund-api',
  prUrl: 'https://git.example.org/acme/gitops/pulls/42',
  prNumber: 42,
  failure: null,
}
