import { ok } from '../../lib/result.ts'
import {
  absolutePath,
  flag,
  integer,
  keys,
  list,
  optionalKeys,
  text,
} from '../../lib/settings/parsers.ts'
import { setting } from '../../lib/settings/setting.ts'

export const sessions = {
  SESSION_KEYS: setting({
    description: 'Keys that seal sessions, as id:base64 of 32 bytes; the first seals, all open',
    example: 'k2:…,k1:…   (openssl rand -base64 32)',
    secret: true,
    production: true,
    parse: keys,
  }),
  SECRET_DIGEST_KEYS: setting({
    description:
      'Keys that seal the digests by which a repeated promotion is recognised, as id:base64 of 32 bytes; the first seals, all open. Without them SESSION_KEYS do it',
    example: 'd2:…,d1:…   (openssl rand -base64 32)',
    fallback: '',
    secret: true,
    production: true,
    parse: optionalKeys,
  }),
  SESSION_IDLE_SECONDS: setting({
    description: 'A session ends after this time without a request',
    example: '1800',
    fallback: '3600',
    parse: integer(60, 86_400),
  }),
  SESSION_ABSOLUTE_SECONDS: setting({
    description: 'A session ends after this time in any case',
    example: '28800',
    fallback: '36000',
    parse: integer(60, 604_800),
  }),
  CLAIMS_MAX_AGE_SECONDS: setting({
    description:
      'Maximum age of the groups by which roles are decided (for projects, promotions, restarts, the audit trail, ending sessions); older ones are renewed at the identity provider first',
    fallback: '300',
    parse: integer(30, 86_400),
  }),
  LOGOUT_ENDS_GRANTS: setting({
    description:
      'Whether a logout at the identity provider (back-channel) ends what the person granted to programs too, and not their browser sessions alone',
    example: 'false',
    fallback: 'true',
    parse: flag,
  }),
  OAUTH_CLIENTS: setting({
    description:
      'Addresses of the metadata documents of programs, such as agents, that may ask people to act for them (comma-separated, compared exactly). The command line of the portal may always ask',
    example: 'https://agent.example.org/client-metadata.json',
    fallback: '',
    parse: list(text(/^https:\/\/[\x21-\x2b\x2d-\x7e]{4,500}$/, 'https URLs')),
  }),
  WORKLOADS_FILE: setting({
    description:
      'Rules by which jobs of CI systems and clusters act for a team, a YAML file; read again when it or a key set that it names changes. Without it there are none',
    example: '/etc/portico/workloads.yaml',
    fallback: '',
    parse: (given) => (given === '' ? ok(given) : absolutePath(given)),
  }),
  PLATFORM_GROUP: setting({
    description: 'Group whose members act for every team',
    fallback: 'platform-team',
    parse: text(/^[\x21-\x7e]{1,256}$/, 'a group name'),
  }),
} as const
