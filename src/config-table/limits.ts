import { integer } from '../lib/settings/parsers.ts'
import { setting } from '../lib/settings/setting.ts'

export const limits = {
  FAILED_SIGN_INS_PER_MINUTE: setting({
    description:
      'Failed sign-ins per minute and client address (IPv6: /64 network); further failures are answered 429. A successful sign-in is never refused',
    example: '10',
    fallback: '10',
    parse: integer(1, 100_000),
  }),
  FAILED_WEBHOOK_CALLS_PER_MINUTE: setting({
    description:
      'Webhook calls without a valid token per minute and client address (IPv6: /64 network); further ones are answered 429. A valid call is never refused',
    example: '60',
    fallback: '60',
    parse: integer(1, 100_000),
  }),
} as const
