import { describe, expect, test } from 'bun:test'
import { age } from '#src/demo/clusters/tables/age.ts'
import { NOW, openSimulation } from './open-simulation.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// prettier-ignore
test.each([
  [-5, '<invalid>'], [-1, '0s'], [0, '0s'], [119, '119s'], [120, '2m'], [121, '2m1s'], [599, '9m59s'], [600, '10m'], [601, '10m'],
  [179 * MINUTE + 59, '179m'], [3 * HOUR, '3h'], [3 * HOUR + MINUTE, '3h1m'], [7 * HOUR + 59 * MINUTE, '7h59m'],
  [8 * HOUR, '8h'], [8 * HOUR + MINUTE, '8h'], [47 * HOUR + 59 * MINUTE, '47h'], [2 * DAY, '2d'], [2 * DAY + HOUR, '2d1h'], [7 * DAY + 23 * HOUR, '7d23h'],
  [8 * DAY, '8d'], [8 * DAY + HOUR, '8d'], [729 * DAY, '729d'], [730 * DAY, '2y'], [731 * DAY, '2y1d'], [2_919 * DAY, '7y364d'], [2_920 * DAY, '8y'], [2_921 * DAY, '8y'],
])('%p seconds are %p', (seconds, text) => {
  expect(age(new Date(NOW - seconds * 1_000).toISOString(), NOW)).toBe(text)
})

test('a time that is none is unknown', () => {
  expect(age(null, NOW)).toBe('<unknown>')
})

describe('a table', () => {
  const { ask } = openSimulation()
  interface Table {
    columnDefinitions: { name: string; priority: number }[]
    rows: { cells: unknown[]; object: { kind: string } | null }[]
  }
  const table = async (path: string) => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
    return (await ask('platform', path, { headers: { accept } })).json() as Promise<Table>
  }
  const titles = ({ columnDefinitions }: Table) =>
    columnDefinitions.map(({ name, priority }) => (priority === 0 ? name : `(${name})`)).join(' ')
  const rowOf = ({ rows }: Table, name: string) =>
    rows.find(({ cells }) => String(cells[0]).startsWith(name))?.cells

  // prettier-ignore
  test.each([
    ['/api/v1/pods', 'Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)'],
    ['/apis/apps/v1/deployments', 'Name Ready Up-to-date Available Age (Containers) (Images) (Selector)'],
    ['/apis/apps/v1/replicasets', 'Name Desired Current Ready Age (Containers) (Images) (Selector)'],
    ['/api/v1/namespaces', 'Name Status Age'],
    ['/api/v1/events', 'Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)'],
  ])('of %s has the columns of kubectl', async (path, columns) => {
    const answer = await table(path)
    expect(answer).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
    expect(titles(answer)).toBe(columns)
  })

  test('shows what is wrong with a pod', async () => {
    const cells = rowOf(await table('/api/v1/namespaces/payments-dev/pods'), 'payments-api-')
    expect(cells).toStrictEqual([
      expect.stringMatching(/^payments-api-[b-z2-9]{8,10}-[b-z2-9]{5}$/),
      '0/1',
      'CrashLoopBackOff',
      expect.stringMatching(/^\d+ \((\d+m)?\d+s ago\)$/),
      '25m',
      expect.stringMatching(/^10\.42\.\d\.\d+$/),
      expect.stringMatching(/^dev-east-worker-\d$/),
      '<none>',
      '<none>',
    ])
  })

  test('counts the pods of a deployment', async () => {
    const cells = rowOf(
      await table('/apis/apps/v1/namespaces/payments-dev/deployments'),
      'invoice-service',
    )
    const image = 'ghcr.io/acme/invoice-service:2.3.0'
    const selector = 'app.kubernetes.io/name=invoice-service'
    expect(cells).toStrictEqual([
      'invoice-service',
      '2/2',
      1,
      2,
      '7d22h',
      'invoice-service',
      image,
      selector,
    ])
  })

  test('counts the pods of a replica set', async () => {
    const answer = await table('/apis/apps/v1/namespaces/shipping-dev/replicasets')
    expect(rowOf(answer, 'shipping-api-')?.slice(1, 7)).toStrictEqual([
      2,
      2,
      2,
      '4d22h',
      'shipping-api',
      'ghcr.io/acme/shipping-api:5.4.0',
    ])
    expect(rowOf(answer, 'label-printer-')?.slice(1, 4)).toStrictEqual([1, 1, 0])
  })

  test('shows namespaces and events', async () => {
    expect(rowOf(await table('/api/v1/namespaces'), 'default')).toStrictEqual([
      'default',
      'Active',
      '395d',
    ])
    const events = await table('/api/v1/namespaces/shipping-dev/events')
    const unhealthy = events.rows.find(({ cells }) => cells[2] === 'Unhealthy')?.cells
    const pod = expect.stringMatching(/^pod\/returns-portal-\w+-\w{5}$/)
    expect(unhealthy).toStrictEqual([
      expect.stringMatching(/^3m5\ds$/),
      'Warning',
      'Unhealthy',
      pod,
      'spec.containers{returns-portal}',
      expect.stringMatching(/^kubelet, dev-east-worker-\d$/),
      'Readiness probe failed: HTTP probe failed with statuscode: 503',
      expect.stringMatching(/^8m5\ds$/),
      2,
      expect.stringMatching(/^returns-portal-\w+-\w{5}\.[0-9a-f]{16}$/),
    ])
    const scaled = events.rows.find(({ cells }) => cells[2] === 'ScalingReplicaSet')?.cells
    expect(scaled?.slice(3, 6)).toStrictEqual([
      'deployment/returns-portal',
      '',
      'deployment-controller',
    ])
  })

  test.each([
    ['', 'PartialObjectMetadata'],
    ['?includeObject=Metadata', 'PartialObjectMetadata'],
    ['?includeObject=Object', 'Pod'],
    ['?includeObject=None', undefined],
  ])('carries what %p asks for', async (query, kind) => {
    const { rows } = await table(`/api/v1/pods${query}`)
    expect(rows[0]?.object?.kind).toBe(kind)
  })
})
