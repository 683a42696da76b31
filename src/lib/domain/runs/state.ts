import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { Nullable } from '../../schema/nullable.ts'
import { parseJson } from '../../text/json.ts'
import { noWaits, type Waits } from './waiting.ts'

const StepState = Type.Object({
  status: Type.Union([
    Type.Literal('in_progress'),
    Type.Literal('complete'),
    Type.Literal('skipped'),
    Type.Literal('failed'),
  ]),
  message: Type.String(),
})
export type StepState = Static<typeof StepState>

const RunFailure = Type.Object({
  step: Type.String(),
  code: Type.String(),
  message: Type.String(),
  retryable: Type.Boolean(),
})
export type RunFailure = Static<typeof RunFailure>

const State = Type.Object({
  steps: Type.Record(Type.String(), StepState),
  made: Type.Unknown(),
  failed: Nullable(RunFailure),
  /** Runs of versions before it have none. */
  waits: Type.Optional(Type.Object({ attempts: Type.Integer(), totalMs: Type.Number() })),
})

/** Progress of a run, with the results of its steps so far. */
export interface RunState<Made> {
  readonly steps: Readonly<Partial<Record<string, StepState>>>
  readonly made: Made
  /** Failure of the last attempt; otherwise `null`. */
  readonly failed: RunFailure | null
  readonly waits: Waits
}

export const newState = <Made>(made: Made): RunState<Made> => ({
  steps: {},
  made,
  failed: null,
  waits: noWaits,
})

/** Each text is different, so that a journal's entry that is written twice is recognised. */
export const writeState = (state: RunState<object>): string =>
  JSON.stringify({ ...state, entry: crypto.randomUUID() })

/** Reads the text of `writeState`; any other text in the database is a bug. */
export function readState(text: string): RunState<unknown> {
  const state = parseJson(text)
  if (!Value.Check(State, state)) throw new Error('the state of a run is not readable')
  const { steps, made, failed, waits = noWaits } = state
  return { steps, made, failed, waits }
}

/** `failed` or `done` is the last event of an attempt. */
export interface RunEvent {
  readonly event: 'step' | 'done' | 'failed'
  readonly data: object
}
