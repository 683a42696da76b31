import { describe, expect, test } from 'bun:test'
import { loadAll } from 'js-yaml'
import { Deployment } from 'kubernetes-models/apps/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import {
  ConfigMap,
  type IPersistentVolumeClaim,
  type IPodSpec,
  PersistentVolumeClaim,
  Pod,
  Service,
  ServiceAccount,
} from 'kubernetes-models/v1'
import { readConfig, settingGroups } from '#src/config/config.ts'
import { settings } from '#src/config/table.ts'
import { parseGroupNames } from '#src/lib/adapters/identity/oidc/groups.ts'
import { parseRegistry } from '#src/lib/domain/clusters/registry.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import openapi from '#src/openapi.gen.json'
import { VERSION } from '#src/version.ts'
import { unknownFields } from '#tests/support/kubernetes-fields.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { type PodSpec, restricted, type Rule } from '#tests/support/pod-security.ts'
import { runProgram } from '#tests/support/run-program.ts'

const OVERLAYS = ['stateless', 'sqlite', 'postgres'] as const
type Overlay = (typeof OVERLAYS)[number]
const REPLICATED = ['stateless', 'postgres'] as const
const isReplicated = (overlay: Overlay): boolean =>
  REPLICATED.some((replicated) => replicated === overlay)
/** Longest time from a termination signal to the end of the service. */
const END_WITHIN_SECONDS = 5

/** All kinds in the manifests, by API version. */
const KINDS = {
  'v1/ConfigMap': ConfigMap,
  'v1/PersistentVolumeClaim': PersistentVolumeClaim,
  'v1/Service': Service,
  'v1/ServiceAccount': ServiceAccount,
  'apps/v1/Deployment': Deployment,
  'networking.k8s.io/v1/NetworkPolicy': NetworkPolicy,
  'policy/v1/PodDisruptionBudget': PodDisruptionBudget,
} as const
type Kind = keyof typeof KINDS
const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)

interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
}

/** Builds an overlay with the real kustomize, without warnings. */
async function render(overlay: Overlay): Promise<readonly KubernetesObject[]> {
  if (kubectl === null) throw new Error('kubectl is not on PATH')
  const build = [kubectl, 'kustomize', `deploy/kustomize/overlays/${overlay}`]
  const { exitCode, stdout, stderr } = await runProgram(build)
  if (exitCode !== 0 || stderr !== '') throw new Error(stderr)
  return loadAll(stdout) as readonly KubernetesObject[]
}

const rendered = Object.fromEntries(
  await Promise.all(
    OVERLAYS.map(
      async (overlay) => [overlay, kubectl === null ? [] : await render(overlay)] as const,
    ),
  ),
) as Readonly<Record<Overlay, readonly KubernetesObject[]>>

/** ConfigMap of the files that settings name, beside the one of the settings. */
const FILES = 'portico-files'

/** The one object of a kind. */
function only<Name extends Kind>(overlay: Overlay, name: Name): InstanceType<(typeof KINDS)[Name]> {
  const found = rendered[overlay].filter(
    ({ apiVersion, kind, metadata }) => `${apiVersion}/${kind}` === name && metadata.name !== FILES,
  )
  if (found.length !== 1) throw new Error(`${found.length} of ${name}`)
  // The test below holds that every object is one of its kind.
  return found[0] as InstanceType<(typeof KINDS)[Name]>
}

const required = <Value>(value: Value | null | undefined, what: string): Value => {
  if (value === null || value === undefined) throw new Error(`no ${what}`)
  return value
}

function parts(overlay: Overlay) {
  const deployment = required(only(overlay, 'apps/v1/Deployment').spec, 'spec')
  const pod = required(deployment.template.spec, 'pod')
  const container = required(pod.containers[0], 'container')
  return {
    deployment,
    template: deployment.template,
    pod,
    container,
    variables: required(only(overlay, 'v1/ConfigMap').data, 'data'),
    budget: required(only(overlay, 'policy/v1/PodDisruptionBudget').spec, 'spec'),
    policy: required(only(overlay, 'networking.k8s.io/v1/NetworkPolicy').spec, 'spec'),
    service: required(only(overlay, 'v1/Service').spec, 'spec'),
  }
}

const [loader, loaderPolicy] = loadAll(await Bun.file('deploy/kustomize/loader.yaml').text())

/** Names of all settings, those of files of secrets too. */
const SETTINGS = new Set(
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name])),
)

/** What the file of a secret contains. */
function secretIn(path: string): string {
  if (!path.startsWith('/etc/portico/secrets/')) throw new Error(path)
  if (path.endsWith('-keys')) return `k1:${Buffer.alloc(32, path.length).toString('base64')}`
  return path.endsWith('-url') ? 'postgres://portico@db.example.org/portico' : 'a-token-or-a-secret'
}

const each = describe.skipIf(kubectl === null).each(OVERLAYS.map((name) => [name]))

each('the overlay %s', (overlay) => {
  test('is made of objects that Kubernetes takes, field by field', () => {
    const objects = rendered[overlay]
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`).toSorted()).toStrictEqual(
      [...Object.keys(KINDS), 'v1/ConfigMap']
        .filter((kind) => overlay !== 'stateless' || kind !== 'v1/PersistentVolumeClaim')
        .toSorted(),
    )
    for (const object of objects) {
      const name = `${object.apiVersion}/${object.kind}`
      if (!isKind(name)) throw new Error(name)
      // Each class takes what is of its kind, whatever is in it: that is what is checked.
      const Model = KINDS[name] as new (data: unknown) => { validate(): void }
      expect(() => new Model(object).validate()).not.toThrow()
      expect(unknownFields(object.kind, object)).toStrictEqual([])
      expect(object.metadata.namespace).toBe('portico')
    }
  })

  test.each(Object.entries(restricted) as [string, Rule][])(
    'keeps the restricted Pod Security Standard: %s',
    (_, keeps) => {
      expect(keeps(parts(overlay).pod as PodSpec)).toBe(true)
    },
  )

  test('has no rights and no way to get some', () => {
    const { pod, container } = parts(overlay)
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(only(overlay, 'v1/ServiceAccount').automountServiceAccountToken).toBe(false)
    expect(pod.serviceAccountName).toBe(only(overlay, 'v1/ServiceAccount').metadata?.name)
    expect(container.securityContext?.readOnlyRootFilesystem).toBe(true)
    expect(pod.securityContext).toMatchObject({
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      // Else Kubernetes changes the owner of every file in the volume at each start.
      fsGroupChangePolicy: 'OnRootMismatch',
    })
    expect(pod.enableServiceLinks).toBe(false)
  })

  test('sets what there is to set, and all that there must be', () => {
    const { variables, container, pod } = parts(overlay)
    expect(container.env).toBeUndefined()
    expect(container.envFrom?.map(({ configMapRef }) => configMapRef?.name)).toStrictEqual([
      only(overlay, 'v1/ConfigMap').metadata?.name,
    ])
    for (const name of Object.keys(variables))
      expect([name, SETTINGS.has(name)]).toStrictEqual([name, true])

    const mount = required(
      container.volumeMounts?.find(({ name }) => name === 'secrets'),
      'secrets',
    )
    const asked: string[] = []
    const config = readConfig(variables, (path) => {
      asked.push(path)
      return secretIn(path)
    })
    for (const path of asked) expect(path).toStartWith(`${mount.mountPath}/`)
    expect(config).toMatchObject({ ok: true })
    expect(asked.length).toBe(overlay === 'postgres' ? 5 : 4)
    // No secret is in the manifests.
    const given = Object.keys(variables).filter((name) => name in settings)
    const secrets = given.filter((name) => 'secret' in settings[name as keyof typeof settings])
    expect(secrets).toStrictEqual([])
    expect(pod.volumes?.find(({ name }) => name === 'secrets')?.secret).toStrictEqual({
      secretName: 'portico',
      defaultMode: 0o440,
    })
  })

  test('has a secret of the entries that the docs tell to make', async () => {
    const docs = await Bun.file('docs/kubernetes.md').text()
    const entries = new Set(
      [...docs.matchAll(/--from-(?:literal|file)=([a-z-]+)=/g)].map(([, entry]) => entry),
    )
    const files = Object.values(parts(overlay).variables).filter((value) =>
      value.startsWith('/etc/portico/secrets/'),
    )
    expect(files.length).toBeGreaterThanOrEqual(4)
    for (const file of files) expect(entries).toContain(file.split('/').at(-1))
  })

  test('mounts the files that settings name, and has those of the settings that are on', () => {
    const { variables, container, pod } = parts(overlay)
    const mount = container.volumeMounts?.find(({ name }) => name === 'files')
    expect(mount).toStrictEqual({
      name: 'files',
      mountPath: '/etc/portico/files',
      readOnly: true,
    })
    expect(pod.volumes?.find(({ name }) => name === 'files')?.configMap?.name).toBe(FILES)
    const map = rendered[overlay].find(({ metadata }) => metadata.name === FILES) as ConfigMap
    const named = Object.values(variables).filter((value) =>
      value.startsWith(`${mount?.mountPath}/`),
    )
    expect(named.map((path) => path.split('/').at(-1))).toStrictEqual(Object.keys(map.data ?? {}))
  })

  test('has groups that the portal can read', () => {
    const map = rendered[overlay].find(({ metadata }) => metadata.name === FILES) as ConfigMap
    expect(parseGroupNames(map.data?.['groups.yaml'] ?? '')).toMatchObject({ ok: true })
  })

  test('has an example of clusters that the portal can read', async () => {
    const text = await Bun.file(`deploy/kustomize/overlays/${overlay}/clusters.yaml`).text()
    const environments = ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name))
    const source = { readFile: () => err('ENOENT'), nowMs: Date.now(), environments }
    expect(parseRegistry(text, source)).toMatchObject({
      ok: true,
      value: [{ environments: { length: 2 } }, { environments: { length: 1 } }],
    })
  })

  test('shows settings that exist, with files that are mounted', async () => {
    const text = await Bun.file(`deploy/kustomize/overlays/${overlay}/kustomization.yaml`).text()
    const shown = [...text.matchAll(/^ {6}# - (\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    expect(shown.map(([name]) => name)).toStrictEqual([
      ...(overlay === 'stateless'
        ? []
        : ['GIT_HOST', 'GITHUB_APP_ID', 'GITHUB_INSTALLATION_ID', 'GITHUB_APP_PRIVATE_KEY_FILE']),
      'GITHUB_API_URL',
      'GITHUB_CA_FILE',
      'OIDC_CA_FILE',
      ...(overlay === 'stateless' ? ['VAULT_CA_FILE'] : []),
      ...(isReplicated(overlay) ? ['DATABASE_LISTEN_URL_FILE', 'DATABASE_CA_FILE'] : []),
      'TRUSTED_PROXIES',
      'CLUSTERS_FILE',
    ])
    for (const [name] of shown) expect([name, SETTINGS.has(name)]).toStrictEqual([name, true])
    const { variables, container } = parts(overlay)
    const config = readConfig({ ...variables, ...Object.fromEntries(shown) }, secretIn)
    expect(config).toMatchObject({ ok: true })
    const mounts = container.volumeMounts?.map(({ mountPath }) => mountPath) ?? []
    for (const [name, value] of shown) {
      if (!name.endsWith('_FILE')) continue
      expect(mounts.some((mount) => value.startsWith(`${mount}/`))).toBe(true)
      if (value.startsWith('/etc/portico/files/'))
        expect(text).toContain(`\n      # - ${value.split('/').at(-1)}\n`)
    }
  })

  test('probes ask paths that are open, where the service listens', () => {
    const { container, variables } = parts(overlay)
    const { startupProbe, livenessProbe, readinessProbe, ports } = container
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
    expect(paths).toStrictEqual(['/healthz', '/healthz', '/readyz'])
    for (const path of paths) {
      const route = Object.entries(openapi.paths).find(([pattern]) => pattern === path)?.[1]
      expect(route).toMatchObject({ get: { security: [] } })
    }
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(probe?.httpGet?.port).toBe('http')
    }
    expect(ports?.map(({ name, containerPort }) => [name, String(containerPort)])).toStrictEqual([
      ['http', variables['PORT'] ?? ''],
      ['metrics', variables['METRICS_PORT'] ?? ''],
    ])
  })

  test('a start has a minute, a process that hangs too, and one that is not ready ten seconds', () => {
    const { startupProbe, livenessProbe, readinessProbe } = parts(overlay).container
    const seconds = [startupProbe, livenessProbe, readinessProbe].map(
      (probe) => Number(probe?.periodSeconds) * Number(probe?.failureThreshold),
    )
    expect(seconds).toStrictEqual([60, 60, 10])
    // The default of one second is too short for a busy moment.
    expect([livenessProbe?.timeoutSeconds, readinessProbe?.timeoutSeconds]).toStrictEqual([3, 2])
  })

  test('ports go together, and metrics are not for everybody', () => {
    const { service, policy, template, variables, container } = parts(overlay)
    const named = container.ports?.map(({ name }) => name) ?? []
    expect(service.ports?.map(({ targetPort }) => targetPort)).toStrictEqual(['http'])
    expect(template.metadata?.annotations).toStrictEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': variables['METRICS_PORT'] ?? '',
      'prometheus.io/path': '/metrics',
    })
    const rules = policy.ingress ?? []
    expect(rules.flatMap(({ ports }) => ports?.map(({ port }) => port))).toStrictEqual(named)
    const metrics = rules.find(({ ports }) => ports?.some(({ port }) => port === 'metrics'))
    expect(metrics?.from).toStrictEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ])
    expect(policy.policyTypes).toStrictEqual(['Ingress', 'Egress'])
  })

  test('it asks for names, the identity provider, clusters and its database, and not for credentials of the cloud', () => {
    const [names, web, ...database] = parts(overlay).policy.egress ?? []
    expect(names).toStrictEqual({
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    })
    expect(web).toStrictEqual({
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
        { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] } },
      ],
      ports: [{ port: 443 }, { port: 6443 }],
    })
    // A documentation address (RFC 5737), replaced in each installation.
    const placeholder = { to: [{ ipBlock: { cidr: '192.0.2.10/32' } }], ports: [{ port: 5432 }] }
    expect(database).toStrictEqual([
      ...(overlay === 'stateless' ? [{ ports: [{ port: 8200 }] }] : []),
      ...(isReplicated(overlay) ? [placeholder] : []),
    ])
  })

  test('every selector means these pods, and no others of the namespace', () => {
    const { deployment, service, budget, policy, pod, template } = parts(overlay)
    const selectors = [
      deployment.selector.matchLabels,
      service.selector,
      budget.selector?.matchLabels,
      policy.podSelector?.matchLabels,
      ...(pod.topologySpreadConstraints ?? []).map((spread) => spread.labelSelector?.matchLabels),
    ]
    for (const selector of selectors) {
      expect(selector).toStrictEqual({ 'app.kubernetes.io/name': 'portico' })
      expect(template.metadata?.labels).toMatchObject(required(selector, 'selector'))
    }
  })

  test('a node can be drained', () => {
    const { budget, deployment } = parts(overlay)
    expect(budget.minAvailable).toBeUndefined()
    const allowed = Math.min(Number(budget.maxUnavailable), Number(deployment.replicas))
    expect(allowed).toBeGreaterThanOrEqual(1)
    expect(budget.unhealthyPodEvictionPolicy).toBe('AlwaysAllow')
  })

  test('it is given the time that it takes to end', () => {
    const { pod, container } = parts(overlay)
    const before = container.lifecycle?.preStop?.sleep?.seconds ?? 0
    expect(before).toBe(isReplicated(overlay) ? 5 : 0)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      before + 2 * END_WITHIN_SECONDS,
    )
  })

  test('it knows how much it needs', () => {
    const { resources } = parts(overlay).container
    expect(resources).toStrictEqual({
      requests: { cpu: '100m', memory: '128Mi' },
      limits: { memory: '1536Mi' },
    })
  })

  test('what it writes is in a volume of its own', () => {
    const { pod, container, variables } = parts(overlay)
    const data = required(
      container.volumeMounts?.find(({ mountPath }) => mountPath === variables['DATA_DIR']),
      'volume at DATA_DIR',
    )
    const volume = pod.volumes?.find(({ name }) => name === data.name)
    if (overlay === 'stateless') {
      expect(volume).toStrictEqual({ name: 'data', emptyDir: { sizeLimit: '4Gi' } })
    } else {
      const claim = only(overlay, 'v1/PersistentVolumeClaim')
      expect(volume?.persistentVolumeClaim?.claimName).toBe(claim.metadata?.name)
      expect(claim.spec?.resources?.requests).toStrictEqual({ storage: '10Gi' })
    }
    const writable = container.volumeMounts?.filter(({ readOnly }) => readOnly !== true)
    expect(writable).toStrictEqual([data])
  })

  test('the image is of this version', () => {
    expect(parts(overlay).container.image).toBe(`registry.example.org/portico:${VERSION}`)
  })
})

const accessModes = ({ spec }: IPersistentVolumeClaim) => spec?.accessModes

describe.skipIf(kubectl === null)('how many', () => {
  test('with SQLite there is one, and never two at once', () => {
    const { deployment, variables } = parts('sqlite')
    const claim = only('sqlite', 'v1/PersistentVolumeClaim')
    expect(deployment.replicas).toBe(1)
    expect(deployment.strategy).toStrictEqual({ type: 'Recreate' })
    expect(Object.keys(variables).filter((name) => name.startsWith('DATABASE_URL'))).toStrictEqual(
      [],
    )
    expect(accessModes(claim)).toStrictEqual(['ReadWriteOnce'])
  })

  test('without a volume everything is elsewhere', () => {
    expect(parts('stateless').variables).toMatchObject({
      GIT_HOST: 'github',
      SECRET_STORE: 'vault',
      DATABASE_URL_FILE: '/etc/portico/secrets/database-url',
    })
  })

  test.each(REPLICATED)(
    'with PostgreSQL (%s) there are several, apart, and as many while they are replaced',
    (overlay) => {
      const { deployment, pod, variables } = parts(overlay)
      expect(deployment.replicas).toBeGreaterThanOrEqual(2)
      expect(deployment.strategy).toStrictEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
      })
      expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toStrictEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ])
      for (const spread of pod.topologySpreadConstraints ?? []) {
        // Replicas of the old version are not counted, and no new one is kept from starting.
        expect(spread.matchLabelKeys).toStrictEqual(['pod-template-hash'])
        expect(spread.whenUnsatisfiable).toBe('ScheduleAnyway')
      }
      expect(deployment.minReadySeconds).toBe(5)
      expect(variables['DATABASE_URL_FILE']).toBeDefined()
      // The embedded git host and the file secret store are files.
      if (overlay === 'postgres') {
        const claim = only(overlay, 'v1/PersistentVolumeClaim')
        expect(accessModes(claim)).toStrictEqual(['ReadWriteMany'])
      }
    },
  )
})

describe('the pod that loads the first repositories', () => {
  const { spec } = loader as { spec: IPodSpec }

  test('is one that Kubernetes takes, without rights', () => {
    expect(() => new Pod(loader as Pod).validate()).not.toThrow()
    expect(unknownFields('Pod', loader)).toStrictEqual([])
    for (const [name, keeps] of Object.entries(restricted)) {
      expect([name, keeps(spec as PodSpec)]).toStrictEqual([name, true])
    }
    expect(spec.automountServiceAccountToken).toBe(false)
  })

  test('writes to the volume alone, and knows how much it needs', () => {
    const [container] = spec.containers
    expect(container?.securityContext?.readOnlyRootFilesystem).toBe(true)
    expect(container?.resources).toStrictEqual({
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { memory: '256Mi' },
    })
  })

  test('talks to nobody, and is none of the pods of Portico', () => {
    const labels = { 'app.kubernetes.io/name': 'portico-loader' }
    expect(loader).toMatchObject({ metadata: { labels } })
    expect(() => new NetworkPolicy(loaderPolicy as NetworkPolicy).validate()).not.toThrow()
    expect(unknownFields('NetworkPolicy', loaderPolicy)).toStrictEqual([])
    expect(loaderPolicy).toStrictEqual({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'loader', namespace: 'portico' },
      spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress', 'Egress'] },
    })
  })

  test('is the one of the docs, of the same Debian as the image', async () => {
    expect(loader).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'loader', namespace: 'portico' },
      spec: { restartPolicy: 'Never', containers: [{ command: ['sleep', '3600'] }] },
    })
    const docs = await Bun.file('docs/kubernetes.md').text()
    for (const command of ['apply', 'delete']) {
      expect(docs).toMatch(new RegExp(`${command} .*--filename deploy/kustomize/loader.yaml`))
    }
    expect(await Bun.file('Dockerfile').text()).toContain(
      `FROM ${spec.containers[0]?.image} AS git`,
    )
  })

  test.skipIf(kubectl === null)('has the volume and the user of Portico', () => {
    const { pod } = parts('sqlite')
    expect(spec.volumes).toStrictEqual(pod.volumes?.filter(({ name }) => name === 'data'))
    const { fsGroupChangePolicy: _, ...user } = pod.securityContext ?? {}
    expect(spec.securityContext).toStrictEqual(user)
    expect(spec.containers[0]?.volumeMounts?.[0]).toMatchObject({
      mountPath: parts('sqlite').variables['DATA_DIR'],
    })
  })
})
