import { expect, test } from 'bun:test'
import type { ConfirmFailure } from '#src/lib/domain/promotion/confirm.ts'
import type { PlanFailure } from '#src/lib/domain/promotion/promote.ts'
import { DENIALS } from '#src/lib/domain/promotion/request-audit.ts'

test('the audit calls a request denied for failures that there are, each once', () => {
  const kinds: readonly (PlanFailure | ConfirmFailure)['kind'][] = DENIALS
  expect(new Set(kinds).size).toBe(DENIALS.length)
})
