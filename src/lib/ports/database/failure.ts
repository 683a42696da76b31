export type DatabaseFailure =
  /** Locked, full, read-only, unreachable, too slow. `reason` is for the log: codes, never SQL, values or addresses. */
  { readonly kind: 'database_unavailable'; readonly reason: string }
