import { describe, expect, test } from 'bun:test'
import { parseFieldSelector } from '#src/demo/clusters/api/field-selector.ts'
import { parseLabelSelector } from '#src/demo/clusters/api/label-selector.ts'
import { paymentsDev, shippingDev } from '#src/demo/clusters/workloads/dev-east.ts'
import { openSimulation } from './open-simulation.ts'

const LABELS = { app: 'web', 'portico/team': 'payments', tier: 'front', generation: '7', empty: '' }

function matches(text: string | null): boolean {
  const selector = parseLabelSelector(text)
  if (!selector.ok) throw new Error(selector.error.message)
  return selector.value(LABELS)
}

describe('a label selector', () => {
  // prettier-ignore
  test.each([
    [null, true], ['', true], [' ', true],
    ['app=web', true], ['app==web', true], ['app = web', true], ['app=api', false],
    ['app!=api', true], ['app!=web', false], ['missing!=web', true], ['missing=', false],
    ['empty=', true], ['empty', true], ['tier!=', true],
    ['app in (web,api)', true], ['app in ( web )', true], ['app in(api)', false], ['missing in (web)', false],
    ['app notin (api)', true], ['app notin (web, api)', false], ['missing notin (web)', true],
    ['app', true], ['missing', false], ['!missing', true], ['! app', false],
    ['generation>6', true], ['generation > 7', false], ['generation<8', true], ['generation<7', false], ['app>1', false],
    ['portico/team=payments,tier in (front,back),!missing', true],
    ['app=web,tier=back', false], ['app in (a,b),app=web', false],
    ['toString', false], ['!toString', true],
  ] as const)('%p matches: %p', (text, expected) => {
    expect(matches(text)).toBe(expected)
  })

  // prettier-ignore
  test.each([
    'a b', 'app=web,', ',app=web', 'app in web', 'app in (web', 'app in web)', 'app=(web)', '=web', 'app===web',
    'app=we b', 'app=web!', '-app=web', 'app=-web', 'a/b/c=d', `app=${'x'.repeat(64)}`, `${'x'.repeat(64)}=a`,
    'app in ()x', 'app in (web,-x)', 'generation>six', 'app=ä',
  ])('%p is refused', (text) => {
    expect(parseLabelSelector(text)).toMatchObject({ ok: false, error: { code: 400, reason: 'BadRequest' } })
  })
})

describe('a field selector', () => {
  const { store } = openSimulation([paymentsDev, shippingDev])
  const names = (text: string) => {
    const selector = parseFieldSelector('pods', text)
    if (!selector.ok) throw new Error(selector.error.message)
    return store
      .list('pods')
      .filter(selector.value)
      .map(({ metadata }) => metadata.name)
  }
  const all = store.list('pods').map(({ metadata }) => metadata.name)

  test('knows names, namespaces, nodes and phases', () => {
    const [first = ''] = all
    expect(names(`metadata.name=${first}`)).toStrictEqual([first])
    expect(names('metadata.namespace=shipping-dev')).toStrictEqual(
      all.filter((name) => /^(carrier|label|returns|shipping|tracking)/.test(name)),
    )
    expect(names('status.phase==Pending').map((name) => name.split('-')[0])).toStrictEqual([
      'invoice',
      'label',
    ])
    expect(names('status.phase!=Running,status.phase!=Pending')).toHaveLength(1)
    expect(names('spec.nodeName=dev-east-worker-1').length).toBeLessThan(all.length)
    expect(names('spec.nodeName=')).toStrictEqual([])
  })

  test('finds the events of an object', () => {
    const selector = (text: string) => {
      const parsed = parseFieldSelector('events', text)
      if (!parsed.ok) throw new Error(parsed.error.message)
      return store.list('events').filter(parsed.value)
    }
    const [pod] = store
      .list('pods')
      .filter(({ metadata }) => metadata.name.startsWith('payments-api-'))
    const { uid, name, namespace } = pod?.metadata ?? {}
    const found = selector(
      `involvedObject.uid=${uid},involvedObject.name=${name},involvedObject.namespace=${namespace},involvedObject.kind=Pod`,
    )
    expect(found.length).toBeGreaterThan(3)
    expect(found.every(({ involvedObject }) => involvedObject.uid === uid)).toBe(true)
    expect(selector(`metadata.name=${found[0]?.metadata.name}`)).toStrictEqual(found.slice(0, 1))
    const warnings = selector(
      `involvedObject.uid=${uid},type=Warning,reason=BackOff,source=kubelet`,
    )
    expect(warnings.map(({ involvedObject }) => involvedObject.fieldPath)).toStrictEqual([
      'spec.containers{payments-api}',
    ])
  })

  test.each(['spec.foo=1', 'status.phase', 'toString=1', 'involvedObject.name=x'])(
    'refuses %p',
    (text) => {
      expect(parseFieldSelector('pods', text)).toMatchObject({ ok: false, error: { code: 400 } })
    },
  )
})
