import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Call } from './call.ts'
import type { OperationId } from './operations.ts'
import { accounts } from './operations/accounts.ts'
import { branches } from './operations/branches.ts'
import { objects } from './operations/objects.ts'
import { protections } from './operations/protections.ts'
import { pulls } from './operations/pulls.ts'
import { releases } from './operations/releases.ts'
import { repositories } from './operations/repositories.ts'
import { reviews } from './operations/reviews.ts'

type Handler = (call: Call) => Answer | Promise<Answer>

export const handlers: Readonly<Record<OperationId, Handler>> = {
  ...accounts,
  ...branches,
  ...objects,
  ...protections,
  ...pulls,
  ...releases,
  ...repositories,
  ...reviews,
}
