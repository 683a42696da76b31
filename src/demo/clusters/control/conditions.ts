import { timestamp } from '../objects.ts'

/** What conditions of all objects have in common. */
interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | null
}

export const findCondition = <Of extends Condition>(
  conditions: readonly Of[] | undefined,
  type: string,
): Of | undefined => conditions?.find((condition) => condition.type === type)

/** Puts a condition in the place of the one of its type, whose time it keeps unless the status is another. */
export function setCondition<Of extends Condition>(
  conditions: readonly Of[],
  next: Of,
  now: number,
): Of[] {
  const index = conditions.findIndex(({ type }) => type === next.type)
  const before = conditions[index]
  const lastTransitionTime =
    before?.status === next.status ? (before.lastTransitionTime ?? null) : timestamp(now)
  const settled = { ...next, lastTransitionTime }
  return before === undefined ? [...conditions, settled] : conditions.with(index, settled)
}
