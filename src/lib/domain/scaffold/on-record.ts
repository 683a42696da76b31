import type { RunId } from '../../names.ts'
import type { Audit } from '../audit/audit.ts'
import type { Recorded } from '../audit/decision.ts'
import type { RunEnd } from '../runs/journal.ts'
import type { RetryFailure, SubmitFailure } from './request-failure.ts'
import type { Run, RunResults } from './run.ts'
import { type Caller, secretPathOf } from './secret-right.ts'
import { repositoryOf, type ScaffoldSpec } from './spec.ts'

export interface ProjectEnd extends RunEnd<RunResults> {
  readonly run: Pick<Run, 'id' | 'spec'>
}

export type RunRecords = ReturnType<typeof createRunRecords>
export type RunDecision = ReturnType<RunRecords['decide']>

/**
 * The audit rows of projects: one for each start, retry and refused preview. The row of a run that goes on is open until the run ends,
 * whichever process ends it.
 */
export const createRunRecords = (audit: Pick<Audit, 'decide' | 'finish'>) => ({
  decide(
    { principal, requestId, address }: Caller,
    action: 'scaffold.start' | 'scaffold.retry' | 'scaffold.preview',
    { app, team }: Pick<ScaffoldSpec, 'app' | 'team'>,
  ) {
    const decision = audit.decide(principal)
    const entry = { action, target: targetOf(app), team, requestId, address }
    return {
      /** Announces the run. Without the row it must not go on. */
      begin: ({ id, spec }: ProjectEnd['run'], groups: readonly string[]): Recorded =>
        decision.begin({ ...entry, groups, details: { runId: id, ...factsOf(spec) } }),

      /** The request had no effect of its own, or only that of a moment. */
      joined: (id: RunId): Recorded =>
        decision.end({ ...entry, result: 'allowed', details: { runId: id } }),

      refused: ({ kind: code }: SubmitFailure | RetryFailure): Recorded =>
        decision.end({ ...entry, result: DENIALS.has(code) ? 'denied' : 'failed', code }),
    }
  },

  /** Gives the rows of a run their outcome. */
  ended: ({ run: { id, spec }, made, failure }: ProjectEnd): Recorded => {
    const { repoUrl, commit, prUrl, prNumber } = made
    const code = failure?.code ?? null
    return audit.finish({ target: targetOf(spec.app), action: 'scaffold' }, id, {
      result: code === null ? 'done' : DENIALS.has(code) ? 'denied' : 'failed',
      code,
      details: { repoUrl, commit, prUrl, prNumber, ...(failure && { step: failure.step }) },
    })
  },
})

const targetOf = (app: string): string => `component/${app}`

function factsOf(spec: ScaffoldSpec) {
  const { owner, name } = repositoryOf(spec)
  return {
    template: spec.templateId,
    templateRevision: spec.templateRevision,
    repository: `${owner}/${name}`,
    ...(spec.features.externalSecrets && { secretPath: secretPathOf(spec) }),
  }
}

/** Refusals that a repetition would meet again. Every other failure means that some system did not work. */
const DENIALS: ReadonlySet<string> = new Set([
  'forbidden',
  'validation_failed',
  'template_not_found',
  'template_broken',
  'already_exists',
  'namespace_taken',
  'idempotency_key_reused',
  'git_branch_blocked',
  'run_not_retryable',
  'secret_store_forbidden',
  'secret_store_unauthorized',
  'session_invalid',
] satisfies (SubmitFailure | RetryFailure)['kind'][])
