import type { Config } from '../../config/config.ts'
import { type ConnectionFinding, fails, works } from '../../lib/ports/connection-finding.ts'
import { isLoopback } from '../../lib/text/ip-address.ts'

export type SettingsToCheck = Pick<
  Config,
  'PUBLIC_URL' | 'WEBHOOK_TOKEN' | 'TRUSTED_PROXIES' | 'misspelt'
>

export const checkSettings = (config: SettingsToCheck): readonly ConnectionFinding[] => [
  works(`People reach the portal at ${config.PUBLIC_URL.origin}.`),
  ...settingWarnings(config),
]

/** Valid settings that are unsafe or seldom meant, also for the log of a start. */
export function settingWarnings({
  PUBLIC_URL: { protocol, hostname },
  TRUSTED_PROXIES,
  WEBHOOK_TOKEN,
  misspelt,
}: SettingsToCheck): readonly ConnectionFinding[] {
  const warnings: ConnectionFinding[] = misspelt.map(({ variable, meant }) =>
    fails(`${variable} is not a setting, and has no effect: ${meant} may be meant.`),
  )
  if (protocol === 'http:' && !isLoopback(hostname)) {
    warnings.push(
      fails(
        'PUBLIC_URL is http: session cookies travel unencrypted. Put a proxy with TLS in front, and set PUBLIC_URL to its https address.',
      ),
    )
  }
  if (protocol === 'https:' && TRUSTED_PROXIES.length === 0) {
    warnings.push(
      works(
        'TRUSTED_PROXIES is not set: in limits and in the audit trail every client has the address of the proxy that ends TLS.',
      ),
    )
  }
  if (WEBHOOK_TOKEN.length === 0) {
    warnings.push(
      works(
        'WEBHOOK_TOKEN is not set: the webhook refuses every call, and a push is seen up to 10 s late.',
      ),
    )
  }
  return warnings
}
