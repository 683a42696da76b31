/** How long ago, as kubectl prints it: two units while the second one tells something, `5m12s`, `3d4h`, `26d`. */
export function age(since: string | null | undefined, now: number): string {
  const start = Date.parse(since ?? '')
  if (Number.isNaN(start)) return '<unknown>'
  const seconds = Math.trunc((now - start) / 1_000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 120) return `${Math.max(seconds, 0)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return two(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 2_920 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

const two = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`
