import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { GrantKindSchema } from '../domain/access/grants/grant.ts'
import type { AuditRecord } from '../domain/audit/audit.ts'
import type { RunEventRow, RunRow } from '../ports/database/runs.ts'
import { Nullable } from '../schema/nullable.ts'
import { parseJson } from '../text/json.ts'
import { Person } from './person.ts'
import { RunStatus } from './scaffold/schemas.ts'
import { timeBody } from './time.ts'

export const AuditRecordBody = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time' }),
    actor: Person,
    action: Type.String(),
    target: Type.String(),
    team: Nullable(Type.String()),
    result: Type.Union(
      (['allowed', 'denied', 'started', 'done', 'failed'] as const).map((result) =>
        Type.Literal(result),
      ),
      {
        description:
          '`denied`; `allowed` without an effect; otherwise the outcome of the effects: `done`, `failed`, or `started` while they are under way, and for good if the service ended in the middle',
      },
    ),
    code: Nullable(Type.String({ description: 'Code of the refusal or failure' })),
    groups: Type.Array(Type.String(), {
      description: 'Groups of the person that granted the action',
    }),
    revision: Nullable(Type.String({ description: 'Commit that was read for the decision' })),
    requestId: Nullable(Type.String({ description: '`null` for a record about several requests' })),
    address: Nullable(
      Type.String({
        description:
          'Address of the client, `null` when unknown; may be a network for a record about several requests',
      }),
    ),
    via: Nullable(
      Type.Object(
        {
          kind: GrantKindSchema,
          id: Type.String({ description: 'Id of the grant' }),
          client: Type.String({ description: 'Client id of the program' }),
        },
        {
          $id: 'Via',
          description: 'The grant by which a program acted for the person; `null` in a browser',
        },
      ),
    ),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Further facts; may contain names of secrets, never their values. `upstream`, for the platform team: the failure of another system that the work failed by or waited for',
    }),
  },
  { $id: 'AuditRecord' },
)

export const exampleRecord = {
  id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
  at: '2026-11-21T09:30:00.000Z',
  actor: { subject: 'dev', name: 'Dana Developer' },
  action: 'promotion.propose',
  target: 'component/payments-api',
  team: 'payments',
  result: 'denied',
  code: 'forbidden',
  groups: [],
  revision: '1f0c9a4be0b7d6ad9d4b0f1a9a8e3d0c5b7e2f61',
  requestId: '01936b2e-7b19-7000-a3c4-9f1d2e3c4b5a',
  address: '203.0.113.7',
  via: null,
  details: { target: 'production' },
}

/** `upstream` is for operators: `seesAll`. */
export function recordBody({ actor, at, details, ...facts }: AuditRecord, seesAll: boolean) {
  const { upstream, ...shared } = details
  return {
    ...facts,
    at: new Date(at).toISOString(),
    actor: { subject: actor?.subject ?? null, name: actor?.name ?? 'unknown' },
    details: seesAll && upstream !== undefined ? details : shared,
  }
}

const Time = Type.String({ format: 'date-time' })

const step = {
  step: Type.String(),
  status: Type.Enum(['in_progress', 'complete', 'skipped', 'failed']),
  message: Type.String({ description: 'Also why it waits, and until when' }),
}

const AuditRun = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(['project', 'move']),
    status: RunStatus,
    createdAt: Time,
    finishedAt: Nullable(Time),
    steps: Type.Array(Type.Object({ at: Time, ...step }), {
      description: 'Everything that has happened, oldest first, in every attempt',
    }),
  },
  { $id: 'AuditRun' },
)

export const AuditStory = Type.Object(
  {
    record: AuditRecordBody,
    run: Nullable(AuditRun),
    related: Type.Array(AuditRecordBody, {
      description:
        'Oldest first: records of the same request, run or pull request, and what people did with that pull request at the embedded git host',
    }),
  },
  { $id: 'AuditStory' },
)

const StepData = Type.Object(step)

export const auditRunBody = (
  { id, kind, status, createdAt, finishedAt }: RunRow,
  events: readonly RunEventRow[],
) => ({
  id,
  kind,
  status,
  createdAt: timeBody(createdAt),
  finishedAt: timeBody(finishedAt),
  steps: events.flatMap(({ event, data, at }) => {
    const taken = parseJson(data)
    return event === 'step' && Value.Check(StepData, taken) ? [{ at: timeBody(at), ...taken }] : []
  }),
})

export const exampleStory = {
  record: {
    ...exampleRecord,
    result: 'failed',
    code: 'git_denied',
    details: {
      target: 'staging',
      runId: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a12',
      upstream: { kind: 'git_denied', what: 'contents: write on acme/gitops' },
    },
  },
  run: {
    id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a12',
    kind: 'move',
    status: 'failed',
    createdAt: '2026-11-21T09:30:00.000Z',
    finishedAt: '2026-11-21T09:30:01.000Z',
    steps: [
      {
        at: '2026-11-21T09:30:00.000Z',
        step: 'propose',
        status: 'in_progress',
        message: 'Proposing payments/payments-api → staging',
      },
      {
        at: '2026-11-21T09:30:01.000Z',
        step: 'propose',
        status: 'failed',
        message: 'The git host refused the request',
      },
    ],
  },
  related: [],
}
