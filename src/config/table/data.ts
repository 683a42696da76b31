import { absolutePath, text } from '../../lib/settings/parsers.ts'
import { optionalSetting, setting } from '../../lib/settings/setting.ts'

export const data = {
  DATA_DIR: setting({
    description:
      'Folder for the data of this instance: embedded or mirrored repositories, sealed secrets, the SQLite database',
    example: '/var/lib/portico',
    fallback: './.portico',
    parse: text(/^[^\0]{1,1024}$/, 'a path'),
  }),
  DATABASE_URL: setting({
    description: 'Database of sessions, runs and audit; by default SQLite in DATA_DIR',
    example: 'postgres://portico@db.example.org/portico',
    fallback: '',
    secret: true,
    production: true,
    parse: text(/^$|^sqlite:.|^postgres(?:ql)?:\/\/./, 'a sqlite: or postgres: URL'),
  }),
  DATABASE_LISTEN_URL: optionalSetting({
    description:
      'Direct URL of PostgreSQL for LISTEN, not through a pooler: replicas then learn of changes at once. Without it they poll, and learn of changes within a second',
    example: 'postgres://portico@primary.db.example.org/portico',
    secret: true,
    production: true,
    parse: text(/^postgres(?:ql)?:\/\/./, 'a postgres: URL'),
  }),
  DATABASE_CA_FILE: optionalSetting({
    description:
      'PEM file of the certificate authorities of PostgreSQL, in place of those of the system. A server on another host must prove its name in any case, unless `sslmode` in the URL asks for less',
    example: '/etc/portico/database-ca.pem',
    production: true,
    parse: absolutePath,
  }),
} as const
