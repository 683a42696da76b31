import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../../api/call.ts'
import { whenMoved } from './when-moved.ts'
import { type Preview, usePreview } from '../../../api/preview.ts'
import type { Problem } from '../../../api/result.ts'
import { announce } from '../../../ui/announce.ts'
import { type PlacedErrors, placeErrors } from '../../../ui/field-errors.ts'
import {
  isPreview,
  type Outcome,
  outcomeOfMove,
  outcomeTitle,
  type PreviewValue,
} from './outcome-words.ts'
import type { ProposalBody } from './request.ts'
import { useAct } from './use-act.ts'

export interface ProposalOptions {
  readonly kind: string
  readonly name: string
  /** Body of the preview; null when there is nothing to see. */
  readonly preview: ProposalBody | null
  /** Body of the request itself. */
  readonly body: ProposalBody
  /** Another one makes the preview old, though the request is the same. */
  readonly version?: string
  /** Paths of the fields that show errors. */
  readonly paths: readonly string[]
  /** After the act: forgets secrets, and reads the state again. */
  readonly onDone: () => unknown
}

export interface Proposal {
  readonly preview: Preview<ProposalBody, PreviewValue>
  readonly isPossible: boolean
  readonly isBusy: boolean
  /** The refusal of the act, or else of the preview. */
  readonly problem: Problem | undefined
  /** Asks for the preview again, when that is what failed. */
  readonly retry: (() => void) | undefined
  readonly errors: PlacedErrors
  /** Answers with what was done. */
  readonly propose: () => Promise<Outcome | undefined>
}

const PROMOTION = '/api/v1/catalog/entities/{kind}/{name}/promotion'

/** A request for a pull request, with its preview. */
export function useProposal({ kind, name, body, ...options }: ProposalOptions): Proposal {
  const params = { kind, name }
  const preview = usePreview(
    options.preview,
    (previewed, signal) =>
      call('post', PROMOTION, { params, query: { dryRun: true }, body: previewed, signal }),
    isPreview,
  )
  const { isBusy, done, forget, ask, ...act } = useAct(async () =>
    whenMoved<Outcome | PreviewValue>(
      await call('post', PROMOTION, { params, body }),
      outcomeOfMove,
    ),
  )
  // A refusal is about what was sent. After a change the preview asks again, and is answered for itself.
  useEffect(forget, [JSON.stringify(body)])
  const previewed = useRef(options.version)
  useEffect(() => {
    if (previewed.current === options.version) return
    previewed.current = options.version
    if (done === undefined) preview.retry()
  }, [options.version])
  const problem = act.problem ?? preview.problem
  return {
    preview,
    isPossible: options.preview !== null,
    isBusy,
    problem,
    retry: act.problem === undefined ? preview.retry : undefined,
    errors: placeErrors(problem?.errors ?? [], options.paths),
    async propose() {
      const answer = await ask()
      if (answer?.ok !== true) return undefined
      const { value } = answer.value
      if (isPreview(value)) return undefined
      announce(outcomeTitle(value))
      await options.onDone()
      return value
    },
  }
}
