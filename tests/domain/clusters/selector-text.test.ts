import { expect, test } from 'bun:test'
import { selectorText } from '#src/lib/domain/clusters/selector-text.ts'
import type { KubernetesSelector } from '#src/lib/ports/kubernetes-objects.ts'

// prettier-ignore
test.each<[KubernetesSelector, string | null]>([
  [{},                                                                  null],
  [{ matchLabels: { app: 'shop', tier: 'web' } },                       'app=shop,tier=web'],
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'api'] }] }, 'tier in (web,api)'],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['db'] }] }, 'tier notin (db)'],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] },         'tier'],
  [{ matchLabels: { app: 'shop' }, matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }] }, 'app=shop,!old'],
])('%j as a query is %p', (selector, text) => {
  expect(selectorText(selector)).toBe(text)
})
