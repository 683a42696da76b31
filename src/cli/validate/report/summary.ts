import type { CheckedCheckout } from '../check-checkout.ts'

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

/** One line for people. */
export function summaryOf({ entities, templates, problems }: CheckedCheckout): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const found = [
    count(entities.length, 'entity', 'entities'),
    count(templates.length, 'template', 'templates'),
  ]
  const wrong = [
    count(errors, 'error', 'errors'),
    count(problems.length - errors, 'warning', 'warnings'),
  ]
  return `${found.join(' and ')}: ${wrong.join(', ')}`
}
