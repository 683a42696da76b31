/** The end of the year 9999: later times have no form in RFC 3339. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59Z')

/** The time in a commit, which its author chose freely, in milliseconds since the Unix epoch. `null`: it has none that can be written. */
export const commitTimeOf = (ms: number): number | null => (ms >= 0 && ms <= LATEST_MS ? ms : null)
