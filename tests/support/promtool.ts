/** Checks rules and metrics as Prometheus does. */
export const promtool = process.env['PORTICO_PROMTOOL'] ?? Bun.which('promtool')
if (promtool === null)
  console.log('promtool is not on PATH (Debian: prometheus): not everything is tried')
