/** Codes of Portico for a cluster that it cannot reach. */
const REASONS: Readonly<Record<string, string>> = {
  connection_refused: 'Its API server refuses connections.',
  connection_reset: 'Its API server ends connections at once.',
  host_not_found: 'The host name of its API server is not known.',
  timeout: 'Its API server does not answer in time.',
  tls: 'The certificate of its API server is not trusted.',
}

/** A code that is not known here is shown as it is. */
export const unreachableWords = (reason: string | null): string =>
  reason === null ? '' : (REASONS[reason] ?? `Reason: ${reason.replaceAll('_', ' ')}.`)
