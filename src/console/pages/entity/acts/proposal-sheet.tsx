import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../../../api/result.ts'
import { isLeft } from '../../../api/session-state.ts'
import { askBeforeLeaving } from '../../../router.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { focusRefused } from '../../../ui/field.tsx'
import type { PlacedErrors } from '../../../ui/field-errors.ts'
import { Act } from '../../../ui/parts.tsx'
import { ActProblem } from './act-problem.tsx'
import { finishProposal } from './outcome-line.tsx'
import { AskFirst, SourceHealth } from './source-health.tsx'
import type { Source } from './source.ts'
import { PreviewPanel } from './preview-panel.tsx'
import type { Proposal } from './use-proposal.ts'
import { WORDS } from './words.ts'

export interface ProposalSheetProps {
  readonly title: string
  readonly proposal: Proposal
  /** Why nothing can be seen, while nothing can. */
  readonly nothing: string
  /** Something was typed that closing would lose. */
  readonly isChanged: boolean
  /** A fault that only the form knows; it is marked at its field. */
  readonly isFaulty?: boolean
  readonly submit: string
  /** A sentence about changes by others since the form was opened. */
  readonly meanwhile?: string | null
  /** Groups whose members may confirm it after the merge. Without them there is nothing to confirm. */
  readonly confirmers?: readonly string[] | null
  /** Health of the environment that the image comes from. */
  readonly source?: Source | undefined
  readonly close: () => void
  /** The fields. */
  readonly children: ComponentChildren
}

/** A form with the exact preview of its pull request. */
export function ProposalSheet(props: ProposalSheetProps) {
  const { proposal, nothing, source, close } = props
  const { preview, problem, errors } = proposal
  const form = useRef<HTMLFormElement>(null)
  const refusal = useRef<HTMLDivElement>(null)
  const isLeaving = useSignal(false)
  const hasUnsaved = props.isChanged
  const release = useUnsaved(hasUnsaved, () => {
    isLeaving.value = true
  })
  const leave = () => {
    if (hasUnsaved) isLeaving.value = true
    else close()
  }
  const letGo = () => {
    release()
    close()
  }
  const isAsking = useSignal(false)
  const submit = () => {
    if (!proposal.isPossible || proposal.isBusy) return
    if (source?.isDown === true && problem === undefined) isAsking.value = true
    else void propose()
  }
  async function propose() {
    isAsking.value = false
    const outcome = props.isFaulty === true ? undefined : await proposal.propose()
    if (outcome !== undefined) {
      finishProposal(outcome, props.confirmers ?? null)
      letGo()
      return
    }
    // The marks are drawn first.
    setTimeout(() => {
      if (!focusRefused(form.current)) refusal.current?.scrollIntoView({ block: 'nearest' })
    })
  }
  return (
    <Dialog title={props.title} form="sheet" onClose={leave} onSend={submit}>
      <div class="sheet-body">
        <form ref={form} noValidate onSubmit={(event) => event.preventDefault()}>
          {source !== undefined && <SourceHealth of={source} />}
          {props.children}
        </form>
        <div class="act-side">
          <div ref={refusal}>
            {problem !== undefined && (
              <Refusal problem={problem} errors={errors} retry={proposal.retry} />
            )}
          </div>
          {typeof props.meanwhile === 'string' && !proposal.isBusy && (
            <p class="notice" data-tone="warn" role="status">
              {props.meanwhile}
            </p>
          )}
          <PreviewPanel preview={preview} nothing={nothing} />
        </div>
      </div>
      <footer>
        <p>{WORDS.untilMerged}</p>
        <button type="button" class="button" onClick={leave}>
          Cancel
        </button>
        <Act
          icon="branch"
          isPrimary
          isBusy={proposal.isBusy}
          reason={proposal.isPossible ? undefined : nothing}
          onClick={submit}
        >
          {preview.value?.status === 'secrets_written' ? WORDS.writeSecrets : props.submit}
        </Act>
      </footer>
      {isAsking.value && source !== undefined && (
        <AskFirst
          source={source}
          act={props.submit}
          go={propose}
          stay={() => {
            isAsking.value = false
          }}
        />
      )}
      {isLeaving.value && (
        <Discard
          close={letGo}
          stay={() => {
            isLeaving.value = false
          }}
        />
      )}
    </Dialog>
  )
}

const Discard = ({ stay, close }: { readonly stay: () => void; readonly close: () => void }) => (
  <Dialog title={WORDS.discard} onClose={stay}>
    <footer>
      <button type="button" class="button" onClick={stay}>
        Keep editing
      </button>
      <button type="button" class="button danger" onClick={close}>
        Discard
      </button>
    </footer>
  </Dialog>
)

interface RefusalProps {
  readonly problem: Problem
  readonly errors: PlacedErrors
  readonly retry: (() => void) | undefined
}

/** Errors at their fields are told there; the note has the others. */
function Refusal({ problem, errors, retry }: RefusalProps) {
  if (problem.errors === undefined) return <ActProblem problem={problem} retry={retry} />
  const others = errors.elsewhere.map(({ path, message }) => `${path} ${message}.`).join(' ')
  const title = others === '' ? WORDS.correct : problem.title
  const { requestId: _, ...known } = problem
  return <ActProblem problem={{ ...known, title, detail: others }} />
}

/**
 * A page with a form that was filled in is not left without a question, unless it is somebody else's by now. The answered function lets
 * it go.
 */
function useUnsaved(isUnsaved: boolean, onBack: () => void): () => void {
  const release = useRef(() => {})
  useEffect(() => {
    if (!isUnsaved) return undefined
    release.current = askBeforeLeaving(onBack)
    const ask = (event: BeforeUnloadEvent) => {
      if (!isLeft.peek()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => {
      release.current()
      removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved])
  return () => release.current()
}
