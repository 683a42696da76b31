import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubernetesClient } from '#tests/support/kubernetes-client.ts'
import { writeKubeconfig } from '#src/demo/clusters/kubeconfig.ts'
import { deploymentView as viewAt } from '#src/lib/domain/clusters/deployment.ts'
import { newestLast, podEvent, readPodEvents } from '#src/lib/domain/clusters/events.ts'
import { podView } from '#src/lib/domain/clusters/pod.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterAccess, ClusterFailure, ListQuery, Page } from '#src/lib/ports/clusters.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { readLines } from '#tests/support/read-lines.ts'
import { accessTo, clusterAt } from '#tests/support/api-server.ts'
import {
  asPrintedDeployment,
  asPrintedPod,
  asPrintedWorkload,
  kubectl as program,
  kubectlWith,
  PRINTED_KINDS,
  printedDeployments,
  printedPods,
  printedWorkloads,
} from '#tests/support/kubectl.ts'
import { valueOf } from '#tests/support/value-of.ts'

/**
 * An API server with the objects that the demo's cluster `dev-east` starts with, and without controllers. The token of a
 * person is the person's id.
 */
export interface ApiServerFixture extends AsyncDisposable {
  readonly url: string
  /** PEM. */
  readonly authority: string
}

const kubernetes = kubernetesClient()
/** At any time: what is compared does not depend on it. */
const deploymentView = (deployment: KubernetesDeployment) => viewAt(deployment, 0)
const ALL: ListQuery = { limit: 500, after: null, labelSelector: null }
const LEDGER = Subdomain.of('ledger')
const NO_SUCH = Subdomain.of('no-such-one')
const LOG = { container: null, follow: false, previous: false, tailLines: null }
const DEPLOYMENTS = '/apis/apps/v1/namespaces/payments-dev/deployments'
const PODS = '/api/v1/namespaces/payments-dev/pods'

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item
  return undefined
}

/**
 * What Portico relies on in API servers. Its own client, the real `kubectl` and plain requests must get the same answers from
 * the simulated servers and from a real one.
 */
export function apiServerContract(name: string, open: () => Promise<ApiServerFixture>) {
  describe(`${name} keeps the contract of API servers`, () => {
    let fixture: ApiServerFixture
    let home = ''
    let kubectl: ReturnType<typeof kubectlWith>
    let access: (person?: string, more?: Partial<ClusterAccess>) => ClusterAccess

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'portico-api-server-'))
      fixture = await open()
      const { url, authority } = fixture
      const cluster = await clusterAt(url, { trust: { kind: 'authority', pem: authority } })
      access = (person = 'dev', more = {}) => accessTo(cluster, { token: person, ...more })
      const context = (person: string) => ({
        person,
        cluster: 'it',
        token: person,
        namespace: 'payments-dev',
      })
      writeKubeconfig(join(home, 'kubeconfig'), {
        clusters: [{ id: 'it', url, authority }],
        contexts: [context('dev'), context('platform'), context('outsider'), context('stranger')],
      })
      kubectl = kubectlWith(home, join(home, 'kubeconfig'))
    })
    afterAll(async () => {
      await fixture?.[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    })

    const send = (person: string | null, method: string, path: string, init: RequestInit = {}) =>
      fetch(`${fixture.url}${path}`, {
        ...init,
        method,
        headers: {
          ...(person !== null && { authorization: `Bearer ${person}` }),
          ...(init.headers as Record<string, string> | undefined),
        },
        tls: { ca: fixture.authority },
      })
    const patch = (path: string, body: object) =>
      send('platform', 'PATCH', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/merge-patch+json' },
      })
    const podOf = async (component: string) => {
      const query = { ...ALL, labelSelector: `app.kubernetes.io/name=${component}` }
      const [pod] = valueOf(await kubernetes.pods.list(access('platform'), query, podView)).items
      if (pod === undefined) throw new Error(`no pod of ${component}`)
      return pod
    }

    test('says that it is ready, and its version, to strangers', async () => {
      expect(await kubernetes.probe(access().cluster)).toStrictEqual({
        kind: 'ready',
        version: expect.stringMatching(/^v\d+\.\d+\.\d+/),
      })
    })

    test('records the id of a request, an own one if there is none', async () => {
      const idOf = async (headers: Record<string, string>) =>
        (await send('dev', 'GET', PODS, { headers })).headers.get('audit-id')
      expect(await idOf({ 'audit-id': 'a.Request-id_1' })).toBe('a.Request-id_1')
      expect(await idOf({})).toMatch(/^[0-9a-f-]{36}$/)
    })

    describe('a list', () => {
      async function paged<Item>(
        page: (query: ListQuery) => Promise<Result<Page<Item>, ClusterFailure>>,
      ) {
        const pages: Page<Item>[] = []
        let after: string | null = null
        do {
          const read: Page<Item> = valueOf(await page({ ...ALL, limit: 2, after }))
          pages.push(read)
          after = read.next
        } while (after !== null)
        return pages
      }

      test('is the same in one page and in pages of two, of one moment, by name', async () => {
        const whole = valueOf(await kubernetes.pods.list(access(), ALL, podView))
        const pages = await paged((query) => kubernetes.pods.list(access(), query, podView))
        expect(whole.items.length).toBeGreaterThan(5)
        expect(whole.next).toBeNull()
        expect(pages.flatMap(({ items }) => items)).toStrictEqual([...whole.items])
        expect(pages.length).toBe(Math.ceil(whole.items.length / 2))
        expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1)
        const names = whole.items.map((pod) => pod.name)
        expect(names).toStrictEqual(names.toSorted())
      })

      test('of deployments', async () => {
        const whole = valueOf(await kubernetes.deployments.list(access(), ALL, deploymentView))
        expect(whole.items.map((each) => each.name)).toStrictEqual([
          'checkout-web',
          'invoice-service',
          'ledger',
          'legacy-billing',
          'payments-api',
        ])
        const timesOf = ({ metadata }: KubernetesDeployment) =>
          metadata.managedFields?.flatMap(({ subresource, time }) =>
            subresource === 'status' ? [Number.isNaN(Date.parse(time ?? ''))] : [],
          )
        const times = valueOf(await kubernetes.deployments.list(access(), ALL, timesOf)).items
        // Of each the time when its status last changed.
        expect(times).toStrictEqual(whole.items.map(() => [false]))
        const pages = await paged((query) =>
          kubernetes.deployments.list(access(), query, deploymentView),
        )
        expect(pages.flatMap(({ items }) => items)).toStrictEqual([...whole.items])
      })

      // prettier-ignore
      test.each([
        ['app.kubernetes.io/name=ledger',                      ['ledger']],
        ['app.kubernetes.io/name in (ledger, checkout-web)',   ['checkout-web', 'ledger']],
        ['app.kubernetes.io/name notin (ledger,payments-api),app.kubernetes.io/name!=legacy-billing', ['checkout-web', 'invoice-service']],
        ['!no-such-label,app.kubernetes.io/name=ledger',       ['ledger']],
        ['no-such-label',                                      []],
      ])('with the labels %s', async (labelSelector, names) => {
        const query = { ...ALL, labelSelector }
        const found = valueOf(await kubernetes.deployments.list(access(), query, deploymentView))
        expect(found.items.map((each) => each.name)).toStrictEqual(names)
      })

      // prettier-ignore
      test.each([
        ['a selector that is none',       { labelSelector: 'a in (b' },  /^unable to parse requirement: /],
        ['a selector with a bad name',    { labelSelector: '-a=b' },     /^unable to parse requirement: /],
        ['a page after what was no page', { after: 'x' },                /^invalid continue token: continue key is not valid: /],
      ])('%s is refused', async (_, more, message) => {
        const refused = await kubernetes.pods.list(access(), { ...ALL, ...more }, podView)
        expect(refused).toStrictEqual(
          err({ kind: 'cluster_invalid', message: expect.stringMatching(message) }),
        )
      })

      test('of a namespace that does not exist is empty', async () => {
        const nowhere = access('platform', { namespace: Label.of('nowhere') })
        expect(await kubernetes.pods.list(nowhere, ALL, podView)).toMatchObject({
          ok: true,
          value: { items: [], next: null },
        })
      })
    })

    describe('a person without the right', () => {
      // prettier-ignore
      const calls: readonly [string, (access: ClusterAccess) => Promise<unknown>, string][] = [
        ['pods',        (to) => kubernetes.pods.list(to, ALL, podView),                      'pods is forbidden: User "outsider" cannot list resource "pods" in API group "" in the namespace "payments-dev"'],
        ['deployments', (to) => kubernetes.deployments.list(to, ALL, deploymentView),        'deployments.apps is forbidden: User "outsider" cannot list resource "deployments" in API group "apps" in the namespace "payments-dev"'],
        ['deployment',  (to) => kubernetes.deployments.read(to, LEDGER),                      'deployments.apps "ledger" is forbidden: User "outsider" cannot get resource "deployments" in API group "apps" in the namespace "payments-dev"'],
        ['restart',     (to) => kubernetes.deployments.restart(to, LEDGER, '2026-11-21T09:00:00Z'), 'deployments.apps "ledger" is forbidden: User "outsider" cannot patch resource "deployments" in API group "apps" in the namespace "payments-dev"'],
        ['events',      (to) => kubernetes.events(to, { kind: 'Pod', name: LEDGER, uid: null }, ALL, podEvent),         'events is forbidden: User "outsider" cannot list resource "events" in API group "" in the namespace "payments-dev"'],
        ['log',         (to) => kubernetes.log(to, LEDGER, LOG),                        'pods "ledger" is forbidden: User "outsider" cannot get resource "pods/log" in API group "" in the namespace "payments-dev"'],
        ['watch',       (to) => firstOf(kubernetes.pods.watch(to, { resourceVersion: '0', labelSelector: null }, podView)), 'pods is forbidden: User "outsider" cannot watch resource "pods" in API group "" in the namespace "payments-dev"'],
      ]
      test.each(calls)('%s: names the missing right', async (_, call, message) => {
        expect(await call(access('outsider'))).toStrictEqual(
          err({ kind: 'cluster_forbidden', message }),
        )
      })

      test.each(calls)('%s: an unknown token is unauthorized', async (_, call) => {
        expect(await call(access('stranger'))).toStrictEqual(err({ kind: 'cluster_unauthorized' }))
      })

      // prettier-ignore
      test.each([
        ['dev',      'POST',   PODS,                         'pods is forbidden: User "dev" cannot create resource "pods" in API group "" in the namespace "payments-dev"'],
        ['dev',      'DELETE', PODS,                         'pods is forbidden: User "dev" cannot deletecollection resource "pods" in API group "" in the namespace "payments-dev"'],
        ['dev',      'DELETE', `${PODS}/x`,                  'pods "x" is forbidden: User "dev" cannot delete resource "pods" in API group "" in the namespace "payments-dev"'],
        ['dev',      'PATCH',  `${PODS}/x`,                  'pods "x" is forbidden: User "dev" cannot patch resource "pods" in API group "" in the namespace "payments-dev"'],
        ['dev',      'PUT',    `${DEPLOYMENTS}/ledger`,      'deployments.apps "ledger" is forbidden: User "dev" cannot update resource "deployments" in API group "apps" in the namespace "payments-dev"'],
        ['dev',      'GET',    '/api/v1/pods',               'pods is forbidden: User "dev" cannot list resource "pods" in API group "" at the cluster scope'],
        ['dev',      'GET',    '/api/v1/namespaces/payments-dev/secrets/x', 'secrets "x" is forbidden: User "dev" cannot get resource "secrets" in API group "" in the namespace "payments-dev"'],
        ['outsider', 'GET',    '/api/v1/namespaces/payments-dev', 'namespaces "payments-dev" is forbidden: User "outsider" cannot get resource "namespaces" in API group "" in the namespace "payments-dev"'],
        ['outsider', 'GET',    `${PODS}?watch=1`,            'pods is forbidden: User "outsider" cannot watch resource "pods" in API group "" in the namespace "payments-dev"'],
      ])('%s: %s %s', async (person, method, path, message) => {
        const answer = await send(person, method, path)
        expect(answer.status).toBe(403)
        expect(await answer.json()).toMatchObject({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          message,
          reason: 'Forbidden',
          code: 403,
        })
      })

      test('an unknown token is refused even where strangers are not', async () => {
        expect((await send('stranger', 'GET', '/readyz')).status).toBe(401)
        expect((await send(null, 'GET', '/version')).status).toBe(200)
        expect((await send(null, 'GET', '/livez')).status).toBe(200)
      })
    })

    describe('what a person may do', () => {
      const LIST_PODS = { verb: 'list', group: '', resource: 'pods' } as const
      const PATCH = { verb: 'patch', group: 'apps', resource: 'deployments' } as const

      // prettier-ignore
      test.each([
        ['dev',      'payments-dev', LIST_PODS, true],
        ['dev',      'payments-dev', PATCH,     true],
        ['dev',      'shipping-dev', LIST_PODS, false],
        ['outsider', 'payments-dev', PATCH,     false],
        ['outsider', 'shipping-dev', PATCH,     true],
        ['dev',      'nowhere',      LIST_PODS, false],
        ['platform', 'nowhere',      LIST_PODS, true],
        ['platform', '*',            LIST_PODS, true],
        ['dev',      '*',            LIST_PODS, false],
      ] as const)('%s in %s', async (person, namespace, action, allowed) => {
        const asked = { ...action, namespace: namespace === '*' ? null : Label.of(namespace) }
        expect(await kubernetes.mayDo(access(person), asked)).toStrictEqual(ok(allowed))
      })

      test('is told to nobody with an unknown token', async () => {
        expect(
          await kubernetes.mayDo(access('stranger'), { ...LIST_PODS, namespace: null }),
        ).toStrictEqual(err({ kind: 'cluster_unauthorized' }))
      })
    })

    describe('namespaces', () => {
      const names = (query: { limit: number; after: string | null }) =>
        kubernetes.namespaces(access('platform'), query)

      test('are listed to who may, in pages', async () => {
        const whole = valueOf(await names({ limit: 500, after: null })).items
        expect(whole).toEqual(expect.arrayContaining(['payments-dev', 'shipping-dev']))
        const first = valueOf(await names({ limit: 1, after: null }))
        const rest = valueOf(await names({ limit: 500, after: first.next }))
        expect([...first.items, ...rest.items]).toStrictEqual([...whole])
      })

      test('are not listed to others', async () => {
        expect(await kubernetes.namespaces(access(), { limit: 500, after: null })).toStrictEqual(
          err({
            kind: 'cluster_forbidden',
            message:
              'namespaces is forbidden: User "dev" cannot list resource "namespaces" in API group "" at the cluster scope',
          }),
        )
      })
    })

    describe('a deployment', () => {
      test('that does not exist', async () => {
        const missing = err({
          kind: 'cluster_object_not_found',
          message: 'deployments.apps "no-such-one" not found',
        })
        expect(await kubernetes.deployments.read(access(), NO_SUCH)).toStrictEqual(missing)
        expect(
          await kubernetes.deployments.restart(access(), NO_SUCH, '2026-11-21T09:00:00Z'),
        ).toStrictEqual(missing)
      })

      test('is restarted once for the same time, and again for another', async () => {
        const name = Subdomain.of('legacy-billing')
        const read = async () => valueOf(await kubernetes.deployments.read(access(), name))
        const restart = async (at: string) =>
          valueOf(await kubernetes.deployments.restart(access(), name, at))
        const before = await read()
        const first = await restart('2026-11-21T09:00:00Z')
        expect(deploymentView(first).restartedAt).toBe('2026-11-21T09:00:00Z')
        expect(first.metadata.generation).toBe((before.metadata.generation ?? 0) + 1)
        expect(first.spec.template.spec).toStrictEqual(before.spec.template.spec)
        const again = await restart('2026-11-21T09:00:00Z')
        expect(again.metadata.generation).toBe(first.metadata.generation)
        const second = await restart('2026-11-21T09:00:01Z')
        expect(second.metadata.generation).toBe((first.metadata.generation ?? 0) + 1)
        expect((await read()).spec).toStrictEqual(second.spec)
      })

      test('does not get fewer replicas than none', async () => {
        const before = valueOf(await kubernetes.deployments.read(access(), LEDGER))
        const answer = await patch(`${DEPLOYMENTS}/ledger`, { spec: { replicas: -1 } })
        expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'Invalid', code: 422 })
        expect(valueOf(await kubernetes.deployments.read(access(), LEDGER))).toStrictEqual(before)
      })

      test('is not patched with another media type', async () => {
        const answer = await send('platform', 'PATCH', `${DEPLOYMENTS}/ledger`, {
          body: '{}',
          headers: { 'content-type': 'text/plain' },
        })
        expect(answer.status).toBe(415)
        expect(await answer.json()).toMatchObject({ reason: 'UnsupportedMediaType', code: 415 })
      })
    })

    describe('a watch', () => {
      test('tells of what comes to be selected, changes, and is no longer', async () => {
        const leave = new AbortController()
        const labelSelector = 'watched=yes'
        const from = valueOf(await kubernetes.deployments.list(access(), ALL, deploymentView))
        const watch = kubernetes.deployments.watch(
          access('dev', { signal: leave.signal }),
          {
            resourceVersion: from.resourceVersion,
            labelSelector,
          },
          deploymentView,
        )
        const changes = watch[Symbol.asyncIterator]()
        const label = async (labels: object) => {
          const answer = await patch(`${DEPLOYMENTS}/invoice-service`, { metadata: { labels } })
          const { metadata } = (await answer.json()) as { metadata: { resourceVersion: string } }
          return metadata.resourceVersion
        }
        for (const [labels, kind] of [
          [{ watched: 'yes' }, 'set'],
          [{ other: 'one' }, 'set'],
          [{ watched: null }, 'removed'],
          [{ watched: 'yes', other: null }, 'set'],
        ] as const) {
          const resourceVersion = await label(labels)
          expect(await changes.next()).toMatchObject({
            value: {
              ok: true,
              value: { kind, resourceVersion, item: { name: 'invoice-service' } },
            },
          })
        }
        await label({ watched: null })
        expect(await changes.next()).toMatchObject({ value: { value: { kind: 'removed' } } })
        leave.abort()
        expect(await changes.next()).toStrictEqual({ done: true, value: undefined })
      })

      test('begins after the list that it goes on from, and not before', async () => {
        const from = valueOf(await kubernetes.deployments.list(access(), ALL, deploymentView))
        await patch(`${DEPLOYMENTS}/checkout-web`, { metadata: { labels: { touched: 'yes' } } })
        const after = { resourceVersion: from.resourceVersion, labelSelector: null }
        expect(
          await firstOf(kubernetes.deployments.watch(access(), after, deploymentView)),
        ).toMatchObject({ ok: true, value: { kind: 'set', item: { name: 'checkout-web' } } })
      })

      test('from a compacted version is refused as expired', async () => {
        const old = { resourceVersion: '1', labelSelector: null }
        expect(await firstOf(kubernetes.pods.watch(access(), old, podView))).toStrictEqual(
          err({ kind: 'cluster_expired' }),
        )
      })
    })

    describe('a pod', () => {
      test('has events of its own, in pages', async () => {
        const { name, uid } = await podOf('payments-api')
        const about = { kind: 'Pod', name: Subdomain.of(name), uid } as const
        const whole = valueOf(await kubernetes.events(access(), about, ALL, podEvent))
        expect(await readPodEvents(kubernetes, access(), about.name)).toStrictEqual(
          ok(newestLast(whole.items, whole.items.length)),
        )
        const first = valueOf(
          await kubernetes.events(access(), about, { limit: 1, after: null }, podEvent),
        )
        expect(first.items).toStrictEqual(whole.items.slice(0, 1))
        const second = { limit: 1, after: first.next }
        expect(
          valueOf(await kubernetes.events(access(), about, second, podEvent)).items,
        ).toStrictEqual(whole.items.slice(1, 2))
        expect(whole.items).toContainEqual(
          expect.objectContaining({
            type: 'Warning',
            reason: 'BackOff',
            container: 'payments-api',
            source: 'kubelet',
            message: expect.stringMatching(/^Back-off restarting failed container/),
          }),
        )
        const dead = { ...about, uid: crypto.randomUUID() }
        expect(valueOf(await kubernetes.events(access(), dead, ALL, podEvent)).items).toStrictEqual(
          [],
        )
        expect(await readPodEvents(kubernetes, access(), NO_SUCH)).toStrictEqual(ok([]))
      })

      test('that does not exist has no log', async () => {
        expect(await kubernetes.log(access(), NO_SUCH, LOG)).toStrictEqual(
          err({ kind: 'cluster_object_not_found', message: 'pods "no-such-one" not found' }),
        )
      })

      test('has no log of a container that it does not have', async () => {
        const { name } = await podOf('checkout-web')
        const query = { ...LOG, container: Label.of('other') }
        expect(await kubernetes.log(access(), Subdomain.of(name), query)).toStrictEqual(
          err({ kind: 'cluster_invalid', message: `container other is not valid for pod ${name}` }),
        )
      })
    })

    describe.skipIf(program === null)('kubectl', () => {
      /** Excludes `ledger` on servers before Kubernetes 1.28, which do not know sidecars and print other states. */
      async function supportedPods(): Promise<string> {
        const query = { ...ALL, labelSelector: 'app.kubernetes.io/name=ledger' }
        const sidecars = await kubernetes.pods.list(access(), query, ({ spec }) =>
          spec.initContainers?.some(({ restartPolicy }) => restartPolicy === 'Always'),
        )
        return valueOf(sidecars).items.some(Boolean) ? '' : 'app.kubernetes.io/name!=ledger'
      }

      test('prints every pod as Portico shows it', async () => {
        const labelSelector = await supportedPods()
        for (const [person, namespace] of [
          ['dev', 'payments-dev'],
          ['outsider', 'shipping-dev'],
        ] as const) {
          const at = access(person, { namespace: Label.of(namespace) })
          const { items } = valueOf(
            await kubernetes.pods.list(at, { ...ALL, labelSelector }, podView),
          )
          const printed = await kubectl.ok(
            `--context=${person}@it`,
            'get',
            'pods',
            '-n',
            namespace,
            '-l',
            labelSelector,
            '-o',
            'wide',
            '--no-headers',
          )
          expect(items.length).toBeGreaterThan(4)
          expect(printedPods(printed)).toStrictEqual(items.map(asPrintedPod))
        }
      })

      test('prints every deployment and its rollout as Portico shows them', async () => {
        for (const [person, namespace] of [
          ['dev', 'payments-dev'],
          ['outsider', 'shipping-dev'],
        ] as const) {
          const as = [`--context=${person}@it`, '-n', namespace]
          const at = access(person, { namespace: Label.of(namespace) })
          const { items } = valueOf(await kubernetes.deployments.list(at, ALL, deploymentView))
          const printed = await kubectl.ok(...as, 'get', 'deployments', '--no-headers')
          expect(printedDeployments(printed)).toStrictEqual(items.map(asPrintedDeployment))
          for (const { name, statusMessage } of items) {
            const rollout = await kubectl.run(
              ...as,
              'rollout',
              'status',
              `deployment/${name}`,
              '--watch=false',
            )
            expect(`${rollout.stdout}${rollout.stderr}`.trim().replace(/^error: /, '')).toBe(
              statusMessage,
            )
          }
        }
      })

      test('prints every other workload and its rollout as Portico shows them', async () => {
        for (const kind of PRINTED_KINDS) {
          const row = Object.values(RESOURCES).find((each) => each.kind === kind)
          const source = row?.sourceIn(kubernetes) ?? expect.unreachable(kind)
          const { items } = valueOf(await source.list(access(), null))
          const facts = items.flatMap(({ workload }) => workload ?? [])
          const printed = await kubectl.ok('get', kind, '--no-headers')
          expect(printedWorkloads(kind, printed)).toStrictEqual(
            facts.map((each) => asPrintedWorkload(kind, each)),
          )
          if (kind !== 'StatefulSet' && kind !== 'DaemonSet') continue
          for (const { name, own } of facts) {
            const rollout = await kubectl.ok(
              'rollout',
              'status',
              `${kind}/${name}`,
              '--watch=false',
            )
            expect(rollout.trim()).toBe(own.message)
          }
        }
      })

      test('restarts as Portico does', async () => {
        const name = Subdomain.of('legacy-billing')
        const ours = valueOf(
          await kubernetes.deployments.restart(access(), name, '2026-11-21T09:00:02Z'),
        )
        await kubectl.ok('rollout', 'restart', 'deployment/legacy-billing')
        const theirs = valueOf(await kubernetes.deployments.read(access(), name))
        expect(Object.keys(theirs.spec.template.metadata?.annotations ?? {})).toStrictEqual(
          Object.keys(ours.spec.template.metadata?.annotations ?? {}),
        )
        expect(theirs.spec.template.spec).toStrictEqual(ours.spec.template.spec)
        expect(deploymentView(theirs).restartedAt).not.toBe(deploymentView(ours).restartedAt)
      })

      test('describes the pod that crashes', async () => {
        const pod = await podOf('payments-api')
        const text = await kubectl.ok('describe', 'pod', pod.name)
        expect(text).toMatch(/Last State: +Terminated\n +Reason: +OOMKilled\n +Exit Code: +137/)
        expect(text).toMatch(/Warning +BackOff .* Back-off restarting failed container/)
        expect(text).toMatch(new RegExp(`Controlled By: +ReplicaSet/${pod.owner?.name}-`))
        expect(pod).toMatchObject({
          status: 'CrashLoopBackOff',
          lastTermination: { reason: 'OOMKilled', exitCode: 137 },
        })
      })

      test('watches', async () => {
        const watching = kubectl.start('get', 'deployments', '-w', '-o', 'name')
        const { all } = readLines(watching.stdout)
        const lines = async (least: number) => {
          for (;;) {
            const found = await all()
            if (found.length >= least) return found
            await Bun.sleep(50)
          }
        }
        const { length } = await lines(5)
        await patch(`${DEPLOYMENTS}/checkout-web`, { metadata: { annotations: { seen: 'yes' } } })
        expect((await lines(length + 1)).slice(length)).toContain('deployment.apps/checkout-web')
        watching.kill()
        await watching.exited
      })

      test('gets by labels, in pages, and by short names', async () => {
        const names = await kubectl.ok('get', 'pods', '-o', 'name')
        expect(await kubectl.ok('get', 'po', '--chunk-size=2', '-o', 'name')).toBe(names)
        expect(
          await kubectl.ok(
            'get',
            'pods',
            '--field-selector=status.phase=Succeeded',
            '-o',
            'jsonpath={.items[*].status.phase}',
          ),
        ).toBe('Succeeded')
        expect(
          await kubectl.ok('get', 'deploy', 'ledger', '-o', 'jsonpath={.kind} {.spec.paused}'),
        ).toBe('Deployment true')
        expect(
          await kubectl.run('--context=platform@it', '-n', 'nowhere', 'get', 'pods'),
        ).toStrictEqual({
          exitCode: 0,
          stdout: '',
          stderr: 'No resources found in nowhere namespace.\n',
        })
      })

      test('lists the namespaces to who may', async () => {
        const listed = valueOf(
          await kubernetes.namespaces(access('platform'), { limit: 500, after: null }),
        )
        const printed = await kubectl.ok('--context=platform@it', 'get', 'ns', '-o', 'name')
        expect(printed.trim().split('\n')).toStrictEqual(
          listed.items.map((each) => `namespace/${each}`),
        )
      })

      // prettier-ignore
      test.each([
        [['--context=stranger@it', 'get', 'pods'], 'error: You must be logged in to the server (Unauthorized)'],
        [['--context=outsider@it', 'get', 'pods'], 'Error from server (Forbidden): pods is forbidden: User "outsider" cannot list resource "pods" in API group "" in the namespace "payments-dev"'],
        [['--context=outsider@it', 'rollout', 'restart', 'deployment/ledger'], 'Error from server (Forbidden): deployments.apps "ledger" is forbidden: User "outsider" cannot get resource "deployments" in API group "apps" in the namespace "payments-dev"'],
        [['get', 'pods', '-A'], 'Error from server (Forbidden): pods is forbidden: User "dev" cannot list resource "pods" in API group "" at the cluster scope'],
        [['get', 'namespaces'], 'Error from server (Forbidden): namespaces is forbidden: User "dev" cannot list resource "namespaces" in API group "" at the cluster scope'],
        [['delete', 'pod', 'any'], 'Error from server (Forbidden): pods "any" is forbidden: User "dev" cannot delete resource "pods" in API group "" in the namespace "payments-dev"'],
        [['get', 'pod', 'no-such-pod'], 'Error from server (NotFound): pods "no-such-pod" not found'],
        [['rollout', 'restart', 'deployment/no-such-one'], 'Error from server (NotFound): deployments.apps "no-such-one" not found'],
        [['rollout', 'restart', 'deployment/ledger'], 'error: deployments.apps "ledger" can\'t restart paused deployment (run rollout resume first)'],
      ])('%p is refused', async (args, stderr) => {
        expect(await kubectl.run(...args)).toStrictEqual({
          exitCode: 1,
          stdout: '',
          stderr: `${stderr}\n`,
        })
      })
    })
  })
}
