import { describe, expect, test } from 'bun:test'
import type { Application, Environment } from '#src/console/pages/catalog/applications.ts'
import {
  type Deployment,
  healthOf,
  placesOf,
  placesOfAll,
  type ReadableNamespaces,
  stateWords,
  tagOf,
} from '#src/console/pages/catalog/deployed.ts'

const environment = (of: Partial<Environment> = {}): Environment => ({
  name: 'dev',
  state: 'live',
  image: { tag: '1.2.0', digest: null },
  pullRequest: null,
  behind: null,
  ...of,
})

const application = (environments: readonly Environment[]): Application => ({
  entity: { kind: 'Component', name: 'ledger', title: null },
  team: 'payments',
  app: 'ledger',
  lifecycle: 'production',
  environments: [...environments],
})

const namespace = (
  name: string,
  environmentName: Environment['name'] | null,
  team: string | null,
) => ({
  name,
  environment: environmentName,
  team,
  canRestart: false,
})

const readable: ReadableNamespaces = new Map([
  ['east', [namespace('payments-dev', 'dev', 'payments'), namespace('other-dev', 'dev', 'other')]],
  ['west', [namespace('payments-dev', 'dev', 'payments'), namespace('shared', null, null)]],
])
const EAST = { cluster: 'east', namespace: 'payments-dev' }
const WEST = { cluster: 'west', namespace: 'payments-dev' }

describe('an environment of an application', () => {
  test.each([
    [environment(), undefined],
    [environment({ behind: 'dev' }), 'behind dev'],
    [environment({ image: null }), 'no image'],
    [environment({ pullRequest: 3, behind: 'dev' }), '#3 in review'],
    [environment({ state: 'pr_open', image: null, pullRequest: 7 }), '#7 in review'],
    [environment({ state: 'pr_open', image: null }), 'in review'],
    [environment({ state: 'ready_to_confirm' }), 'ready to confirm'],
    [environment({ state: 'none', image: null }), 'not deployed'],
  ])('%j says %p', (of, words) => {
    expect(stateWords(of)).toBe(words)
  })

  test.each([
    [{ tag: '1.2.0', digest: 'sha256:0123456789abcdef' }, '1.2.0'],
    [{ tag: null, digest: 'sha256:0123456789abcdef' }, 'sha256:0123456789ab'],
    [{ tag: null, digest: null }, undefined],
    [null, undefined],
  ])('with the image %j has the tag %p', (image, tag) => {
    expect(tagOf(environment({ image }))).toBe(tag)
  })
})

describe('places', () => {
  test('are the namespaces of the team and the environment, in every cluster', () => {
    expect(placesOf({ team: 'payments' }, 'dev', readable)).toStrictEqual([EAST, WEST])
    expect(placesOf({ team: 'payments' }, 'staging', readable)).toStrictEqual([])
  })

  test('of many applications are told once, and only where something is deployed', () => {
    const staging = environment({ name: 'staging', state: 'none', image: null })
    const known = new Map([
      [
        'east',
        [namespace('payments-dev', 'dev', 'payments'), namespace('s', 'staging', 'payments')],
      ],
    ])
    const both = [application([environment(), staging]), application([environment(), staging])]
    expect(placesOfAll(both, known)).toStrictEqual([EAST])
  })
})

describe('health', () => {
  const deployment = (app: string, status: Deployment['status']) => ({
    status,
    labels: { 'app.kubernetes.io/name': app },
  })
  const health = (...statuses: Deployment['status'][]) =>
    healthOf(
      { app: 'ledger' },
      [EAST, WEST],
      new Map([
        ['east/payments-dev', statuses.slice(0, 1).map((status) => deployment('ledger', status))],
        [
          'west/payments-dev',
          [
            deployment('another', 'Degraded'),
            ...statuses.slice(1).map((status) => deployment('ledger', status)),
          ],
        ],
      ]),
    )

  test('is the worst of all places, of this application alone', () => {
    expect(health('Available', 'Available')).toBe('Available')
    expect(health('Available', 'Degraded')).toBe('Degraded')
    expect(health('Progressing', 'Degraded')).toBe('Degraded')
    expect(health('Available', 'Progressing')).toBe('Progressing')
    expect(health('Available', 'Paused')).toBe('Paused')
    expect(health('ScaledToZero', 'Available')).toBe('ScaledToZero')
  })

  test('is not known without an answer or a deployment', () => {
    expect(health()).toBeUndefined()
    expect(healthOf({ app: 'ledger' }, [EAST], new Map())).toBeUndefined()
  })
})
