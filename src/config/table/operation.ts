import { flag, oneOf } from '../../lib/settings/parsers.ts'
import { setting } from '../../lib/settings/setting.ts'

export const operation = {
  CONSOLE: setting({
    description:
      'Whether the web console is served, at / and its other pages. Switched off, / leads to /docs and those pages do not exist',
    example: 'off',
    fallback: 'on',
    parse: oneOf('on', 'off'),
  }),
  READYZ_REQUIRE_SESSION: setting({
    description: 'Whether /readyz needs a session like every other endpoint',
    example: 'true',
    fallback: 'false',
    parse: flag,
  }),
  LOG_LEVEL: setting({
    description: 'Lowest severity of log lines',
    example: 'warn',
    fallback: 'info',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  }),
} as const
