import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Problem } from '../../../api/result.ts'
import { type Preview, useSubmission } from '../../../api/submission.ts'
import { ActProblem } from '../../../ui/act-problem.tsx'
import { announce } from '../../../ui/announce.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { parseDiff } from '../../../ui/diff-model.ts'
import { Diff } from '../../../ui/diff.tsx'
import { type PlacedErrors, placeErrors } from '../../../ui/field-spec.ts'
import { Fields, type Form, FormBox, FormFoot, useUnsaved } from '../../../ui/form.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Question } from '../../../ui/question.tsx'
import { Age } from '../../../ui/time.tsx'
import { counted } from '../../../ui/words.ts'
import { AT } from './form-plan.ts'
import type { Meanwhile } from './meanwhile.ts'
import { previewProposal, propose } from './move.ts'
import { finishProposal } from './outcome-line.tsx'
import { isPreview, outcomeTitle, type PreviewValue } from './outcome-words.ts'
import type { ProposalBody } from './request.ts'
import type { Source } from './source.ts'

interface ProposalSheetProps {
  readonly kind: string
  readonly name: string
  readonly title: string
  readonly form: Form
  /** Paths of the fields that show errors, beside that of the message. */
  readonly paths: readonly string[]
  /** Body of the preview; null when there is nothing to see. */
  readonly preview: ProposalBody | null
  /** Body of the request, without its message. */
  readonly body: ProposalBody
  /** Why nothing can be seen, while nothing can. */
  readonly nothing: string
  /** Something was typed, beside the texts of the form, that closing would lose. */
  readonly isChanged?: boolean
  /** A fault that only the form knows; it is marked at its field. */
  readonly isFaulty?: boolean
  readonly submit?: string
  /** Changes by others since the form was opened. */
  readonly meanwhile?: Meanwhile
  /** Groups whose members may confirm it after the merge. Without them there is nothing to confirm. */
  readonly confirmers?: readonly string[] | null
  /** Health of the environment that the image comes from. */
  readonly source?: Source | undefined
  readonly close: () => void
  /** The fields. */
  readonly children: (errors: PlacedErrors['at'], problem: Problem | undefined) => ComponentChildren
}

const MESSAGE = [{ path: AT.message, label: 'Message', help: 'For the reviewer' }]

/** A form with the exact preview of its pull request. */
export function ProposalSheet({ form, nothing, source, close, ...props }: ProposalSheetProps) {
  const { meanwhile } = props
  const message = form.texts[AT.message]?.trim() ?? ''
  const { preview, problem, refusal, isBusy, submit } = useSubmission({
    preview: props.preview,
    body: message === '' ? props.body : { ...props.body, message },
    version: meanwhile?.version,
    ask: (body, signal) => previewProposal(props, body, signal),
    isPreview,
    send: (body) => propose(props, body),
  })
  const errors = placeErrors(problem?.errors ?? [], [...props.paths, AT.message])
  const refused = useRef<HTMLDivElement>(null)
  const asked = useSignal<'leave' | 'source' | undefined>(undefined)
  const stay = () => (asked.value = undefined)
  const hasUnsaved = form.isChanged || props.isChanged === true
  const release = useUnsaved(hasUnsaved, () => (asked.value = 'leave'))
  const leave = () => {
    if (hasUnsaved) asked.value = 'leave'
    else close()
  }
  const letGo = () => {
    release()
    close()
    return undefined
  }
  const onSend = () => {
    if (props.preview === null || isBusy || asked.value !== undefined) return
    if (source?.isDown === true && problem === undefined) asked.value = 'source'
    else void send()
  }
  async function send() {
    asked.value = undefined
    const outcome = props.isFaulty === true ? undefined : await submit()
    if (outcome === undefined || isPreview(outcome)) {
      form.refuse()
      refused.current?.scrollIntoView({ block: 'nearest' })
      return
    }
    announce(outcomeTitle(outcome))
    finishProposal(outcome, props.confirmers ?? null)
    letGo()
  }
  const label =
    meanwhile?.hasPullRequest === true ? 'Update the pull request' : 'Open the pull request'
  return (
    <Dialog title={props.title} form="sheet" onClose={leave} onSend={onSend}>
      <FormBox form={form} class="sheet-body">
        <div class="sheet-fields">
          {source !== undefined && <SourceHealth of={source} />}
          {props.children(errors.at, problem)}
          <Fields of={MESSAGE} form={form} errors={errors.at} />
        </div>
        <div class="act-side">
          <div ref={refused}>
            <Refusal
              problem={problem}
              errors={errors}
              retry={refusal === undefined ? preview.retry : undefined}
            />
          </div>
          {typeof meanwhile?.words === 'string' && !isBusy && (
            <p class="notice" data-tone="warn" role="status">
              {meanwhile.words}
            </p>
          )}
          <PreviewPanel preview={preview} nothing={nothing} />
        </div>
      </FormBox>
      <FormFoot
        icon="branch"
        label={preview.value?.status === 'secrets_written' ? 'Write the secrets' : label}
        status={
          errors.at.size > 0 || props.isFaulty === true
            ? 'Correct the marked fields'
            : 'Nothing is deployed until it is merged.'
        }
        isBusy={isBusy}
        reason={props.preview === null ? nothing : undefined}
        onSend={onSend}
        onCancel={leave}
      />
      {asked.value === 'source' && source !== undefined && (
        <AskFirst
          source={source}
          act={label}
          go={() => {
            void send()
            return undefined
          }}
          stay={stay}
        />
      )}
      {asked.value === 'leave' && (
        <Question
          title="Discard your changes?"
          act="Discard"
          look="danger"
          cancel="Keep editing"
          onAct={letGo}
          onClose={stay}
        />
      )}
    </Dialog>
  )
}

interface RefusalProps {
  readonly problem: Problem | undefined
  readonly errors: PlacedErrors
  readonly retry: (() => void) | undefined
}

/** Errors at their fields are told there; the note has the others. */
function Refusal({ problem, errors, retry }: RefusalProps) {
  if (problem === undefined) return null
  if (problem.errors === undefined) return <ActProblem problem={problem} retry={retry} />
  const detail = errors.elsewhere.map(({ path, message }) => `${path} ${message}.`).join(' ')
  const { requestId: _, ...known } = problem
  return detail === '' ? null : <ActProblem problem={{ ...known, detail }} />
}

/** The exact content of the pull request. An earlier one stays, dimmed, until the next is there. */
function PreviewPanel({
  preview: { value, problem, isPending },
  nothing,
}: {
  readonly preview: Preview<ProposalBody, PreviewValue>
  /** Why there is none. */
  readonly nothing: string
}) {
  const isOld = isPending || problem !== undefined
  return (
    <section aria-label="Preview" aria-busy={isPending} class={isOld ? 'act-old' : undefined}>
      <p class="muted" role="status">
        {statusOf(value, isPending, problem !== undefined) ?? nothing}
      </p>
      {value !== undefined && (
        <>
          <Notes value={value} />
          <Diff files={value.files.flatMap(({ diff }) => parseDiff(diff))} />
        </>
      )}
    </section>
  )
}

function statusOf(value: PreviewValue | undefined, isPending: boolean, isRefused: boolean) {
  if (isPending && value === undefined) return 'Loading the preview…'
  if (isRefused) {
    return value === undefined ? 'No preview.' : 'This preview is out of date.'
  }
  if (value === undefined) return undefined
  if (value.status === 'secrets_written') return 'Only secrets change: no pull request.'
  if (value.status === 'ready_to_confirm') return 'Already merged. Confirm it.'
  return `${counted(value.files.length, 'file')} in “${value.title}”`
}

const Notes = ({ value: { secrets, warnings } }: { readonly value: PreviewValue }) => (
  <>
    {secrets !== null && (
      <Note>
        {secrets.keys.join(', ')}: written to <code>{secrets.path}</code> at once, without review.
      </Note>
    )}
    {warnings.map(({ code, message }) => (
      <Note key={code}>{message}</Note>
    ))}
  </>
)

const Note = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="act-note" data-tone="warn">
    <Icon name="warn" />
    <span>{children}</span>
  </p>
)

/** The first line of a sheet. */
const SourceHealth = ({
  of: { environment, word, cause, since, isDown },
}: {
  readonly of: Source
}) => (
  <p class="act-source" data-tone={word.tone} role={isDown ? 'alert' : undefined}>
    <Icon name={word.icon} />
    <span>
      <b>
        {environment}: {word.label.toLowerCase()}
      </b>
      {since !== null && (
        <>
          {' for '}
          <Age at={since} />
        </>
      )}
      {cause !== null && (
        <>
          . <bdi>{cause}</bdi>
        </>
      )}
    </span>
  </p>
)

interface AskFirstProps {
  readonly source: Source
  /** Label of the button that does it. */
  readonly act: string
  readonly go: () => undefined
  readonly stay: () => void
}

/** The question before the image of a broken environment is passed on. */
const AskFirst = ({ source, act, go, stay }: AskFirstProps) => (
  <Question
    title={`${source.environment} is ${source.word.label.toLowerCase()}`}
    act={`${act} anyway`}
    look="danger"
    cancel="Go back"
    onAct={go}
    onClose={stay}
  >
    <SourceHealth of={source} />
    <p>You would pass on the same image. Continue?</p>
  </Question>
)
