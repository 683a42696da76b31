import type { PromotionState } from './acts-of.ts'

export interface ActsProps {
  readonly kind: string
  readonly name: string
  /** Nothing is shown before it is there. */
  readonly state: PromotionState | undefined
  /** Reads the state again. */
  readonly reload: () => unknown
}

export interface OpenActProps extends ActsProps {
  readonly state: PromotionState
  readonly asked: {
    readonly do: string
    readonly environment: string | null
    /** Commit of the row of the history to go back to. */
    readonly to: string | null
    /** Tag of the version to bring. */
    readonly version: string | null
  }
  readonly close: () => void
}
