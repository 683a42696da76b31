import { describe, expect, test } from 'bun:test'
import type { Problem } from '#src/console/api/result.ts'
import type { Environment, PromotionState } from '#src/console/pages/entity/acts/acts-of.ts'
import {
  AT,
  type FormPlan,
  formPlanOf,
  OWN,
  type Texts,
} from '#src/console/pages/entity/acts/form-plan.ts'
import {
  type FormState,
  hasPreview,
  hasSecrets,
  NO_SECRETS,
  requestOf,
  faultyRows,
  secretErrors,
} from '#src/console/pages/entity/acts/request.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`

function withStaging(changes: Partial<Environment>): PromotionState {
  const environments = promotionState.environments.map((environment) =>
    environment.name === 'staging' ? { ...environment, ...changes } : environment,
  )
  return { ...promotionState, environments }
}

function planOf(state: PromotionState, environment = 'staging'): FormPlan {
  const found = state.environments.find(({ name }) => name === environment)
  if (found === undefined) throw new Error('no environment')
  const what = found.proposed !== null ? 'update' : found.state === 'live' ? 'release' : 'promote'
  const plan = formPlanOf(state, { do: what, environment: found.name })
  if (plan === undefined) throw new Error('no plan')
  return plan
}

const promotion = planOf(promotionState)
const release = planOf(promotionState, 'dev')
const live = { state: 'live', overlay: true } as const
const image = { name: 'ghcr.io/acme/payments-api', tag: '1.4.0', digest: null }

const typed = ({ initial }: FormPlan, texts: Partial<Texts>): FormState => ({
  ...NO_SECRETS,
  texts: { ...initial, ...texts },
})
const bodyOf = (plan: FormPlan, texts: Partial<Texts>) =>
  requestOf(plan, typed(plan, texts), { isPreview: false })

test('an application of plain manifests has the fields of its settings alone', () => {
  const fields = (state: PromotionState) => Object.values(AT).filter(planOf(state).has)
  const image = [AT.imageFrom, AT.imageTag, AT.imageDigest]
  expect(fields({ ...promotionState, settings: ['replicas'] })).toStrictEqual([
    ...image,
    AT.replicas,
  ])
  expect(fields({ ...promotionState, settings: [] })).toStrictEqual(image)
  expect(fields(promotionState)).toContain(AT.host)
})

describe('a new promotion', () => {
  test('is filled with the environment before it', () => {
    expect(promotion).toMatchObject({
      kind: 'promotion',
      isNew: true,
      pullRequest: null,
      images: [{ value: '', label: '1.5.0-rc.3, as in dev' }, { value: OWN }],
    })
    expect(promotion.initial).toMatchObject({
      [AT.replicas]: '2',
      [AT.cpuLimit]: '250m',
      [AT.host]: 'payments-api.staging.acme.example',
      [AT.databaseTier]: 'shared',
      [AT.databaseName]: '',
    })
  })

  test('of the first image begins with its tag', () => {
    const environments = promotionState.environments.map((each) => ({ ...each, image: null }))
    const first = planOf({ ...promotionState, environments })
    expect(first.initial[AT.imageFrom]).toBe(OWN)
    expect(first.images.map(({ label }) => label)).toStrictEqual([
      'By its tag or digest',
      'None yet: its pods wait for one',
    ])
    expect(bodyOf(first, {}).overlayConfig?.image).toBeUndefined()
    expect(bodyOf(first, { [AT.imageTag]: '1.0.0' }).overlayConfig?.image).toStrictEqual({
      tag: '1.0.0',
    })
  })

  test('sends every value', () => {
    expect(bodyOf(promotion, {})).toStrictEqual({
      targetLifecycle: 'staging',
      overlayConfig: {
        replicas: 2,
        resources: {
          requests: { cpu: '50m', memory: '64Mi' },
          limits: { cpu: '250m', memory: '128Mi' },
        },
        ingress: { host: 'payments-api.staging.acme.example' },
        database: { tier: 'shared' },
      },
    })
  })

  test('leaves out what is empty', () => {
    const empty = Object.fromEntries(Object.values(AT).map((path) => [path, '']))
    expect(bodyOf(promotion, empty)).toStrictEqual({ targetLifecycle: 'staging' })
  })

  test('carries no host over that does not name the environment', () => {
    const [dev] = promotionState.environments
    if (dev === undefined) throw new Error('no dev')
    const environments = promotionState.environments.map((each) =>
      each === dev ? { ...dev, config: { ingress: { host: 'pay.acme.example' } } } : each,
    )
    expect(planOf({ ...promotionState, environments }).initial[AT.host]).toBe('')
  })
})

describe('of what is there', () => {
  const proposed = { image, config: { replicas: 4 }, pullRequest: 42 }
  const update = planOf(withStaging({ state: 'pr_open', proposed }))

  test('an open pull request fills the form', () => {
    expect(update).toMatchObject({ kind: 'promotion', isNew: false, pullRequest: 42 })
    expect(update.initial[AT.replicas]).toBe('4')
    expect(update.images[0]?.label).toBe('1.4.0, as it is')
  })

  test.each([
    [{}, {}],
    [{ [AT.replicas]: '4' }, {}],
    [{ [AT.replicas]: '' }, {}],
    [{ [AT.replicas]: ' 5 ' }, { overlayConfig: { replicas: 5 } }],
    [{ [AT.cpuLimit]: '1' }, { overlayConfig: { resources: { limits: { cpu: '1' } } } }],
    [{ [AT.message]: 'why' }, {}],
  ])('only changes are sent: %j', (texts, body) => {
    expect(bodyOf(update, texts)).toStrictEqual({ targetLifecycle: 'staging', ...body })
  })

  test.each([
    [{ [AT.databaseName]: 'other' }, { tier: 'shared', name: 'other' }],
    [{ [AT.databaseTier]: 'dedicated' }, { tier: 'dedicated' }],
  ] as const)('a database is sent with its tier: %j', (texts, database) => {
    expect(bodyOf(release, texts).overlayConfig).toStrictEqual({ database })
  })

  test('a text that is no number is for the server to refuse', () => {
    const body = bodyOf(release, { [AT.replicas]: 'two' })
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ overlayConfig: { replicas: null } })
  })
})

describe('the image', () => {
  const plan = planOf(withStaging({ ...live, image }))
  test.each([
    [{ [AT.imageFrom]: 'dev' }, { from: 'dev' }],
    [{ [AT.imageFrom]: 'dev', [AT.imageTag]: '9' }, { from: 'dev' }],
    [{ [AT.imageFrom]: OWN, [AT.imageTag]: ' 1.6.0 ' }, { tag: '1.6.0' }],
    [{ [AT.imageFrom]: OWN, [AT.imageDigest]: DIGEST }, { digest: DIGEST }],
    [{ [AT.imageFrom]: OWN }, undefined],
    [{ [AT.imageTag]: '1.6.0' }, undefined],
    [{ [AT.imageFrom]: 'production' }, undefined],
  ] as const)('%j', (texts, sent) => {
    expect(bodyOf(plan, texts).overlayConfig?.image).toStrictEqual(sent)
  })

  test('is offered from every environment that has one', () => {
    expect(plan.images.map(({ label }) => label)).toStrictEqual([
      '1.4.0, as it is',
      '1.5.0-rc.3, as in dev',
      'Another one…',
    ])
  })
})

describe('secrets', () => {
  const row = (id: number, key: string, value: string) => ({ id, key, value })
  const form = { ...typed(release, {}), secrets: [row(1, 'A', 'hidden'), row(2, '', '')] }

  test('are in the request', () => {
    const request = requestOf(release, form, { isPreview: false })
    expect(request.overlayConfig).toStrictEqual({ secrets: { A: 'hidden' } })
    const overwriting = requestOf(release, { ...form, overwrites: true }, { isPreview: false })
    expect(overwriting.overlayConfig).toMatchObject({ overwriteSecrets: true })
  })

  test('are named in the preview, without their values', () => {
    const preview = requestOf(release, form, { isPreview: true })
    expect(preview.overlayConfig).toStrictEqual({ secrets: { A: '' } })
    expect(JSON.stringify(preview)).not.toContain('hidden')
  })

  test('need names, each its own', () => {
    const rows = [row(1, 'A', ''), row(2, 'A', ''), row(3, '', 'x'), row(4, '', '')]
    expect([...faultyRows(rows).keys()]).toStrictEqual([2, 3])
  })

  test('have the errors of the server at their rows', () => {
    const rows = [row(1, 'A', ''), row(2, 'B', '')]
    const exists: Problem = { code: 'secret_exists', title: '', status: 409, keys: ['B'] }
    expect([...secretErrors(rows, exists)]).toStrictEqual([[2, 'is there already']])
    const errors = [
      { path: '/overlayConfig/secrets/A', rule: 'unicode' as const, message: 'must be text' },
    ]
    const invalid: Problem = { code: 'validation_failed', title: '', status: 422, errors }
    expect([...secretErrors(rows, invalid)]).toStrictEqual([[1, 'must be text']])
  })
})

test('an empty row is no secret', () => {
  expect(hasSecrets({ ...NO_SECRETS, secrets: [{ id: 1, key: '', value: 'x' }] })).toBe(true)
  expect(hasSecrets({ ...NO_SECRETS, secrets: [{ id: 1, key: '', value: '' }] })).toBe(false)
})

test('a release without a change has no preview', () => {
  const preview = (plan: FormPlan, texts: Partial<Texts>) => hasPreview(plan, bodyOf(plan, texts))
  expect(preview(release, {})).toBe(false)
  expect(preview(release, { [AT.message]: 'x' })).toBe(false)
  expect(preview(release, { [AT.replicas]: '3' })).toBe(true)
  expect(preview(promotion, {})).toBe(true)
  const proposed = { image, config: {}, pullRequest: 7 }
  expect(preview(planOf(withStaging({ ...live, image, proposed })), {})).toBe(false)
  expect(preview(planOf(withStaging({ state: 'pr_open', proposed })), {})).toBe(true)
})
