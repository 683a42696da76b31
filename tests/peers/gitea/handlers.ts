import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Call } from './call.ts'
import type { OperationId } from './operations.ts'
import { accounts } from './operations/accounts.ts'
import { archive } from './operations/archive.ts'
import { branches } from './operations/branches.ts'
import { contents } from './operations/contents.ts'
import { history } from './operations/history.ts'
import { objects } from './operations/objects.ts'
import { protections } from './operations/protections.ts'
import { pulls } from './operations/pulls.ts'
import { releases } from './operations/releases.ts'
import { repositories } from './operations/repositories.ts'
import { reviews } from './operations/reviews.ts'

type Handler = (call: Call) => Answer | Promise<Answer>

export const handlers: Readonly<Record<OperationId, Handler>> = {
  ...accounts,
  ...archive,
  ...branches,
  ...contents,
  ...history,
  ...objects,
  ...protections,
  ...pulls,
  ...releases,
  ...repositories,
  ...reviews,
}
