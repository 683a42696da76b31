import type { Report } from './report.ts'
import { printableJson } from './printable.ts'

/** The answer of the route that validates a file, for all of them: paths count from the checkout. */
export const jsonReport: Report = (checked) => printableJson(checked)
