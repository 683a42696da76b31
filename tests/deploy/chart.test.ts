import { describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { loadAll, load } from 'js-yaml'
import { packChart } from '#scripts/release/chart.ts'
import { SHARED, sharedFile, undescribedValues, valuesSchema } from '#scripts/chart.ts'
import { VERSION } from '#src/version.ts'
import { readPage } from '#tests/support/docs-page.ts'
import { unknownFields } from '#tests/support/kubernetes-fields.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { runProgram } from '#tests/support/run-program.ts'

const CHART = 'deploy/helm/portico'
/** Helm 4 has no package of Debian. */
const helm = process.env['PORTICO_HELM'] ?? Bun.which('helm')
if (helm === null) console.log('helm is not on PATH: the chart is checked by its schema alone')

type Values = Readonly<Record<string, unknown>>
interface Rendered {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const run = (command: readonly string[], input = '') =>
  runProgram(command, { input, env: { PATH: process.env['PATH'], HOME: '/nonexistent' } })

async function template(values: Values, from = CHART): Promise<readonly Rendered[]> {
  const args = [helm ?? '', 'template', 'portico', from, '--namespace', 'portico', '--values', '-']
  const { exitCode, stdout, stderr } = await run(args, JSON.stringify(values))
  if (exitCode !== 0) throw new Error(stderr)
  return (loadAll(stdout) as readonly (Rendered | null)[]).filter((each) => each !== null)
}

const config = {
  PUBLIC_URL: 'https://portal.example.org',
  GITOPS_REPOSITORY: 'acme/gitops',
  GIT_HOST: 'github',
}
const { GIT_HOST: _, ...embedded } = config
const defaults = load(await Bun.file(`${CHART}/values.yaml`).text()) as Values

describe('the values of the chart', () => {
  // The patterns are for Go and for JavaScript.
  const validate = new Ajv({ strict: false }).compile(JSON.parse(valuesSchema()) as object)
  const accepts = (values: Values) => validate({ ...defaults, config, ...values })

  test('have a schema, generated of the settings', async () => {
    expect(await Bun.file(`${CHART}/values.schema.json`).text()).toBe(valuesSchema())
    expect(await undescribedValues()).toStrictEqual([])
  })

  test.each([
    ['the defaults, with the settings that everybody has', {}, true],
    ['the embedded git host without a claim', { config: embedded }, false],
    ['and by its name', { config: { ...config, GIT_HOST: 'local' } }, false],
    ['and with a claim', { config: embedded, volume: 'claim' }, true],
    ['SQLite with a claim', { database: 'sqlite', replicas: 1, volume: 'claim' }, true],
    ['SQLite and two replicas', { database: 'sqlite', replicas: 2, volume: 'claim' }, false],
    ['SQLite without a claim', { database: 'sqlite', replicas: 1 }, false],
    ['a value that does not exist', { replica: 1 }, false],
    ['the time limits of a gateway', { httpRoute: { timeouts: { request: '0s' } } }, true],
    ['another database', { database: 'mysql' }, false],
    ['a setting that does not exist', { config: { ...config, PUBLIC_URI: 'x' } }, false],
    ['a missing setting', { config: { ...config, GITOPS_REPOSITORY: undefined } }, false],
    ['a number, which Helm would round', { config: { ...config, CATALOG_FILES_MAX: 1e6 } }, false],
    ['a secret', { config: { ...config, SESSION_KEYS: 'k1:…' } }, false],
    [
      'the file of a secret',
      { config: { ...config, GITHUB_TOKEN_FILE: '/etc/portico/secrets/t' } },
      true,
    ],
    ['what the templates set', { config: { ...config, DATA_DIR: '/' } }, false],
  ])('%s', (_, values, isAccepted) => {
    expect(accepts(values)).toBe(isAccepted)
  })

  test('go with the rules and the dashboard of deploy/monitoring', async () => {
    for (const name of SHARED) {
      const copy = await Bun.file(`${CHART}/files/${name}`).text()
      expect(copy).toBe(await sharedFile(name).text())
    }
  })

  test('are those of the page', async () => {
    const page = await readPage('helm.md')
    const [block = ''] = page.all(/```yaml\n([\s\S]*?)```/g)
    expect(accepts(load(block) as Values)).toBe(true)
  })

  test('are packed to the same bytes each time, with every file', async () => {
    const packed = await packChart()
    expect(packed).toStrictEqual(await packChart())
    const files = await new Bun.Archive(packed).files()
    expect(files.get('portico/Chart.yaml')).toBeDefined()
    expect(files.size).toBe((await Array.fromAsync(new Bun.Glob('**/*').scan(CHART))).length)
  })

  test('are of this version', async () => {
    const chart = load(await Bun.file(`${CHART}/Chart.yaml`).text())
    expect(chart).toMatchObject({ version: VERSION, appVersion: VERSION })
  })
})

describe.skipIf(helm === null || kubectl === null)('the chart', () => {
  const OVERLAYS: Readonly<Record<string, Values>> = {
    stateless: { vault: true },
    postgres: { volume: 'claim', volumeSize: '10Gi' },
    sqlite: { database: 'sqlite', replicas: 1, volume: 'claim', volumeSize: '10Gi' },
  }
  /** Objects without what only one of both has: hashes of settings, and notes for Helm. */
  function comparable(objects: readonly Rendered[]) {
    const text = JSON.stringify(objects).replaceAll(/"portico-[a-z0-9]{10}"/g, '"portico"')
    const onlyHelm =
      /"checksum\/config":"[0-9a-f]{64}",?|,?"annotations":\{"helm.sh\/resource-policy":"keep"\}/g
    const plain = JSON.parse(text.replaceAll(onlyHelm, '')) as readonly Rendered[]
    const nameOf = ({ kind, metadata: { name } }: Rendered) => `${kind}/${name}`
    return Object.fromEntries(plain.map((each) => [nameOf(each), each]))
  }

  test.each(Object.keys(OVERLAYS))('has the objects of the overlay %s', async (overlay) => {
    const built = await run([kubectl ?? '', 'kustomize', `deploy/kustomize/overlays/${overlay}`])
    const expected = comparable(loadAll(built.stdout) as readonly Rendered[])
    const dataOf = (name: string) => (expected[`ConfigMap/${name}`] as { data?: object }).data ?? {}
    const own = [
      'PORT',
      'METRICS_PORT',
      'DATA_DIR',
      'DATABASE_URL_FILE',
      'SESSION_KEYS_FILE',
      'SECRET_STORE_KEYS_FILE',
      'WEBHOOK_TOKEN_FILE',
    ]
    const settings = Object.entries(dataOf('portico')).filter(([name]) => !own.includes(name))
    const values = {
      ...OVERLAYS[overlay],
      config: Object.fromEntries(settings),
      files: dataOf('portico-files'),
    }
    expect(comparable(await template(values))).toStrictEqual(expected)
  })

  test('has what is switched on, as Kubernetes takes it', async () => {
    const objects = await template({
      config,
      volume: 'claim',
      storageClass: 'fast',
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
      httpRoute: {
        enabled: true,
        parentRefs: [{ name: 'gateway' }],
        timeouts: { request: '0s' },
      },
      egress: [{ ports: [{ port: 389 }] }],
      serviceMonitor: true,
      rules: true,
      dashboard: true,
    })
    const kinds = objects.map(({ kind }) => kind)
    expect(kinds).toContain('ServiceMonitor')
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule')
    expect(rules).toMatchObject({ spec: load(await sharedFile('rules.yaml').text()) })
    const hosts = objects.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind))
    expect(JSON.stringify(hosts).match(/portal\.example\.org/g)).toHaveLength(3)
    expect(hosts).toContainEqual(
      expect.objectContaining({
        kind: 'HTTPRoute',
        spec: expect.objectContaining({
          rules: [{ backendRefs: [{ name: 'portico', port: 80 }], timeouts: { request: '0s' } }],
        }),
      }),
    )
    const known = objects.filter(({ apiVersion }) => !/gateway|monitoring/.test(apiVersion))
    expect(known.flatMap((each) => unknownFields(each.kind, each))).toStrictEqual([])
  })

  test('is linted, refuses what its schema refuses, and rolls out a change of settings', async () => {
    const values = JSON.stringify({ config })
    const linted = await run([helm ?? '', 'lint', '--strict', CHART, '--values', '-'], values)
    expect(linted).toMatchObject({ exitCode: 0 })
    expect(template({ config, database: 'sqlite' })).rejects.toThrow("at '/replicas'")
    const sums = async (more: Values) =>
      /"checksum\/config":"(\w+)"/.exec(
        JSON.stringify(await template({ config: { ...config, ...more } })),
      )?.[1]
    expect(await sums({ LOG_LEVEL: 'warn' })).not.toBe(await sums({}))
  })

  test('is the same in a release', async () => {
    const file = join(tmpdir(), `portico-chart-${process.pid}.tgz`)
    await Bun.write(file, await packChart())
    const values = { config, rules: true, dashboard: true }
    expect(await template(values, file)).toStrictEqual(await template(values))
    await rm(file)
  })
})
