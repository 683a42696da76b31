import type { Config } from '../../config.ts'
import { type ConnectionFinding, fails, works } from '../../lib/ports/connection-finding.ts'

export type SettingsToCheck = Pick<
  Config,
  'PUBLIC_URL' | 'SESSION_KEYS' | 'WEBHOOK_TOKEN' | 'TRUSTED_PROXIES'
>

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Settings that are right by themselves, and wrong or unsafe for an installation. */
export const checkSettings = (config: SettingsToCheck): readonly ConnectionFinding[] => [
  publicUrlFinding(config),
  ...keyFindings(config),
  webhookFinding(config),
]

function publicUrlFinding({ PUBLIC_URL, TRUSTED_PROXIES }: SettingsToCheck): ConnectionFinding {
  const { origin, protocol, hostname } = PUBLIC_URL
  if (protocol === 'http:') {
    return LOOPBACK.test(hostname)
      ? works(`People reach the portal at ${origin}, from this machine only.`)
      : fails(
          `PUBLIC_URL is ${origin}: sessions would travel unencrypted. Put a proxy with TLS in front, and set PUBLIC_URL to its https address.`,
        )
  }
  return TRUSTED_PROXIES.length > 0
    ? works(`People reach the portal at ${origin}.`)
    : works(
        `People reach the portal at ${origin}. Whatever ends TLS there is not in TRUSTED_PROXIES: every client has its address, in limits and in the audit trail.`,
      )
}

const keyFindings = ({ SESSION_KEYS }: SettingsToCheck): readonly ConnectionFinding[] =>
  SESSION_KEYS.weaknesses.map((weakness) =>
    fails(`SESSION_KEYS: ${weakness}. Make a key with \`openssl rand -base64 32\`.`),
  )

const webhookFinding = ({ WEBHOOK_TOKEN }: SettingsToCheck): ConnectionFinding =>
  WEBHOOK_TOKEN.length > 0
    ? works('The webhook takes calls with its token.')
    : works(
        'WEBHOOK_TOKEN is not set: the webhook refuses every call, and a push is seen up to 10 s late.',
      )
