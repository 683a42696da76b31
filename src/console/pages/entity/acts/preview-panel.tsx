import type { ComponentChildren } from 'preact'
import type { Preview } from '../../../api/preview.ts'
import { parseDiff } from '../../../ui/diff-model.ts'
import { Diff } from '../../../ui/diff.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { counted } from '../../../ui/words.ts'
import type { PreviewValue } from './outcome-words.ts'
import type { ProposalBody } from './request.ts'
import { WORDS } from './words.ts'

/** The exact content of the pull request. An earlier one stays, dimmed, until the next is there. */
export function PreviewPanel({
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
  if (isPending && value === undefined) return WORDS.loadingPreview
  if (isRefused) {
    return value === undefined ? WORDS.noPreview : WORDS.oldPreview
  }
  if (value === undefined) return undefined
  if (value.status === 'secrets_written') return WORDS.onlySecrets
  if (value.status === 'ready_to_confirm') return WORDS.alreadyMerged
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
