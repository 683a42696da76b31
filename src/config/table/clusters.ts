import { ok } from '../../lib/result.ts'
import { absolutePath, integer } from '../../lib/settings/parsers.ts'
import { setting } from '../../lib/settings/setting.ts'

export const clusters = {
  CLUSTERS_FILE: setting({
    description:
      'Cluster registry, a YAML file; read again when it or a CA file changes. Without it there are no clusters',
    example: '/etc/portico/clusters.yaml',
    fallback: '',
    production: true,
    parse: (given) => (given === '' ? ok(given) : absolutePath(given)),
  }),
  BUN_CONFIG_MAX_HTTP_REQUESTS: setting({
    description:
      'Limit of concurrent requests to other services, a setting of Bun itself; a quarter of them may be lists and logs that people follow, and a quarter watches behind workloads and health',
    example: '4096',
    fallback: '256',
    parse: integer(16, 65_535),
  }),
} as const
