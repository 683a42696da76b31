import type { KubernetesSelector } from '../../ports/kubernetes-objects.ts'

/** The selector of an object as a query has it; `null` for one that selects everything. */
export function selectorText({
  matchLabels = {},
  matchExpressions = [],
}: KubernetesSelector): string | null {
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      switch (operator) {
        case 'Exists':
          return key
        case 'DoesNotExist':
          return `!${key}`
        case 'NotIn':
          return `${key} notin (${values.join(',')})`
        default:
          return `${key} in (${values.join(',')})`
      }
    }),
  ]
  return terms.length === 0 ? null : terms.join(',')
}
