import type { Report } from './formats.ts'

/** The answer of the route that validates a file, for all of them: paths count from the checkout. */
export const jsonReport: Report = (checked) => JSON.stringify(checked, null, 2)
