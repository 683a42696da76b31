/** An age as kubectl prints it (`HumanDuration` of `k8s.io/apimachinery`): `5m12s`, `3d4h`, `26d`. */
export function age(since: string | null | undefined, now: number): string {
  const start = Date.parse(since ?? '')
  if (Number.isNaN(start)) return '<unknown>'
  const seconds = Math.trunc((now - start) / 1_000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 120) return `${Math.max(seconds, 0)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return withRest(`${minutes}m`, seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return withRest(`${hours}h`, minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return withRest(`${days}d`, hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 2_920 ? withRest(`${years}y`, days % 365, 'd') : `${years}y`
}

const withRest = (large: string, rest: number, unit: string): string =>
  rest === 0 ? large : `${large}${rest}${unit}`
