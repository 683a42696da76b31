/** A log for an adapter, and the fields of its warnings. */
export function keepWarnings() {
  const warnings: unknown[] = []
  const warn = (...[fields]: unknown[]) => void warnings.push(fields)
  return { warnings, log: { info() {}, warn, error() {} } }
}
