import type { CheckedCheckout } from '../check-checkout.ts'

export interface ReportPlace {
  /** The folder, as the caller has written it. */
  readonly given: string
  /** The folder as seen from the working directory, with `/`; empty when it is outside: tools count paths from there. */
  readonly prefix: string
}

/** Renders the outcome, without the last line end. */
export type Report = (checked: CheckedCheckout, place: ReportPlace) => string
