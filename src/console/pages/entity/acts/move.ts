import { type BodyOf, call } from '../../../api/call.ts'
import { refresh } from '../../../api/resource.ts'
import type { Result } from '../../../api/result.ts'
import {
  type Confirmed,
  confirmedByMove,
  type Outcome,
  outcomeOfMove,
  type PreviewValue,
} from './outcome-words.ts'
import type { ProposalBody } from './request.ts'
import { whenMoved } from './when-moved.ts'

interface Named {
  readonly kind: string
  readonly name: string
}

const PROMOTION = '/api/v1/catalog/entities/{kind}/{name}/promotion'
/** Lists of what an act may change. Their topics tell it too, where the event stream is connected. */
const CHANGED = ['/api/v1/catalog/entities', '/api/v1/environments', '/api/v1/promotions']

async function moved<Value>(answer: Result<{ readonly value: Value }>): Promise<Result<Value>> {
  if (!answer.ok) return answer
  await Promise.all(CHANGED.map(refresh))
  return { ok: true, value: answer.value.value }
}

export const previewProposal = ({ kind, name }: Named, body: ProposalBody, signal: AbortSignal) =>
  call('post', PROMOTION, { params: { kind, name }, query: { dryRun: true }, body, signal })

export const propose = async ({ kind, name }: Named, body: ProposalBody) =>
  moved(
    await whenMoved<Outcome | PreviewValue>(
      await call('post', PROMOTION, { params: { kind, name }, body }),
      outcomeOfMove,
    ),
  )

/** The last step of a promotion: the lifecycle follows the overlay. A deprecation has nothing to confirm. */
export const confirm = async ({ kind, name }: Named, targetLifecycle: ConfirmedLifecycle) =>
  moved(
    await whenMoved<Confirmed>(
      await call('post', `${PROMOTION}/confirm`, {
        params: { kind, name },
        body:
          targetLifecycle === null || targetLifecycle === 'deprecated' ? {} : { targetLifecycle },
      }),
      confirmedByMove,
    ),
  )

type ConfirmedLifecycle = 'deprecated' | Confirmation['targetLifecycle'] | null
type Confirmation = Required<BodyOf<'post', `${typeof PROMOTION}/confirm`>>
