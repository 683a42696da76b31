/** RFC 3339 of milliseconds since the Unix epoch. */
export const timeBody = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()
