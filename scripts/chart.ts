/** Writes `values.schema.json` of the Helm chart, from its values and the tables that parse the settings, and copies what it shares. */
import { load } from 'js-yaml'
import { settingGroups } from '#src/config/config.ts'
import { settings } from '#src/config/table.ts'

const CHART = 'deploy/helm/portico'

/** Set by the templates. */
const OWN: readonly string[] = [
  'HOST',
  'PORT',
  'METRICS_PORT',
  'DATA_DIR',
  'DATABASE_URL_FILE',
  'SESSION_KEYS_FILE',
  'SECRET_STORE_KEYS_FILE',
  'WEBHOOK_TOKEN_FILE',
]

const text = { type: 'string' } as const
const quantity = { type: 'string', pattern: '^[0-9]+(Ki|Mi|Gi|Ti)$' } as const
const flag = { type: 'boolean' } as const
const objectOf = (properties: object, more: object = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
})

/** Settings that are no secret. A secret is the path of its file. */
function settingsSchema() {
  const required: string[] = []
  const entries = settingGroups.flatMap(({ table }) =>
    Object.entries(table).flatMap(([variable, { secret, fallback, description, example }]) => {
      const name = secret === true ? `${variable}_FILE` : variable
      if (OWN.includes(name)) return []
      // Those of an adapter are required when it is chosen, which `config check` knows.
      const isOfAll = Object.hasOwn(settings, variable)
      if (isOfAll && fallback === undefined && secret !== true) required.push(name)
      const shown =
        secret === true
          ? `/etc/portico/secrets/${variable.toLowerCase().replaceAll('_', '-')}`
          : example
      return [[name, { ...text, description, examples: [shown] }] as const]
    }),
  )
  return objectOf(
    Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    {
      required,
    },
  )
}

const properties = {
  image: { ...text, pattern: '^[^:@]+(:[0-9]+/[^:@]+)?$', minLength: 1 },
  tag: text,
  database: { enum: ['sqlite', 'postgres'] },
  replicas: { type: 'integer', minimum: 0, maximum: 20 },
  databaseNetwork: { ...text, pattern: '^[0-9a-f.:]+/[0-9]{1,3}$' },
  databasePort: { type: 'integer', minimum: 1, maximum: 65_535 },
  volume: { enum: ['emptyDir', 'claim'] },
  volumeSize: quantity,
  storageClass: text,
  config: settingsSchema(),
  files: { type: 'object', additionalProperties: text },
  existingSecret: { ...text, minLength: 1 },
  vault: flag,
  ingress: objectOf({
    enabled: flag,
    className: text,
    tlsSecret: text,
    annotations: { type: 'object', additionalProperties: text },
  }),
  httpRoute: objectOf({
    enabled: flag,
    parentRefs: { type: 'array', items: { type: 'object' } },
    timeouts: objectOf({ request: text, backendRequest: text }),
  }),
  serviceMonitor: flag,
  rules: flag,
  dashboard: flag,
  monitoringNamespace: { ...text, minLength: 1 },
  egress: { type: 'array', items: { type: 'object' } },
  resources: { type: 'object' },
  // Helm's own.
  global: { type: 'object' },
}

/** A replica more would open the same file on another node; without a claim a restart would lose it. */
const sqlite = {
  if: { properties: { database: { const: 'sqlite' } }, required: ['database'] },
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
  then: { properties: { replicas: { maximum: 1 }, volume: { const: 'claim' } } },
}

/** Repositories of the embedded git host would end with their pod, and each replica would have others. */
const emptyDir = {
  if: { properties: { volume: { const: 'emptyDir' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
  then: {
    properties: {
      config: { required: ['GIT_HOST'], properties: { GIT_HOST: { not: { const: 'local' } } } },
    },
  },
}

export const valuesSchema = (): string => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...objectOf(properties, { allOf: [sqlite, emptyDir] }),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** Values without a schema, and schemas without a value. */
export async function undescribedValues(): Promise<readonly string[]> {
  const values = load(await Bun.file(`${CHART}/values.yaml`).text()) as object
  const [given, known] = [Object.keys(values), Object.keys(properties)]
  return [
    ...given.filter((name) => !known.includes(name)),
    ...known.filter((name) => name !== 'global' && !given.includes(name)),
  ]
}

/** Files that the chart shares with `deploy/monitoring`: Helm reads nothing outside of its folder. */
export const SHARED = ['rules.yaml', 'dashboard.json'] as const
export const sharedFile = (name: string) => Bun.file(`deploy/monitoring/${name}`)

if (import.meta.main) {
  await Bun.write(`${CHART}/values.schema.json`, valuesSchema())
  for (const name of SHARED) await Bun.write(`${CHART}/files/${name}`, sharedFile(name))
}
