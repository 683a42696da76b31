import {
  createHostClient,
  type HostClientOptions,
} from '#src/lib/adapters/hosts/hosted/api/create-client.ts'
import { tokenCredentials } from '#src/lib/adapters/hosts/hosted/api/credentials.ts'
import type { RateLimitLeft } from '#src/lib/adapters/hosts/context.ts'

/** A client of the host at `root`, with a clock that stands still, and what it reported. */
export function openClient(root: string, options: Partial<HostClientOptions> = {}) {
  const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => clock.nowMs }
  const left: RateLimitLeft[] = []
  const logged: string[] = []
  const note = (fields: object, text: string) =>
    void logged.push(`${text} ${JSON.stringify(fields)}`)
  const client = createHostClient({
    root,
    authority: null,
    headers: { accept: 'application/json' },
    credentials: tokenCredentials('Bearer', { kind: 'text', text: 'secret' }),
    clock,
    log: { info: note, warn: note, error: note } as HostClientOptions['log'],
    onRateLimit: (value) => void left.push(value),
    ...options,
  })
  return { client, clock, left, logged }
}
