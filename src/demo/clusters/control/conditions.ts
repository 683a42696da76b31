import { timestamp } from '../objects.ts'

interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | null
}

export const findCondition = <Of extends Condition>(
  conditions: readonly Of[] | undefined,
  type: string,
): Of | undefined => conditions?.find((condition) => condition.type === type)

/** Adds a condition, or replaces the one of its type. `lastTransitionTime` changes with the status only. */
export function setCondition<Of extends Condition>(
  conditions: readonly Of[],
  next: Of,
  now: number,
): Of[] {
  const index = conditions.findIndex(({ type }) => type === next.type)
  const before = conditions[index]
  const lastTransitionTime =
    before?.status === next.status ? (before.lastTransitionTime ?? null) : timestamp(now)
  const condition = { ...next, lastTransitionTime }
  return before === undefined ? [...conditions, condition] : conditions.with(index, condition)
}
