import type { FieldSpec } from '../../../ui/field-spec.ts'
import { Fields, useForm } from '../../../ui/form.tsx'
import { AnswerState } from '../../../ui/parts.tsx'
import { useHistory } from '../use-entity.ts'
import type { Environment, OpenActProps } from './acts-of.ts'
import { AT, imageText } from './form-plan.ts'
import { meanwhileOf } from './meanwhile.ts'
import { ProposalSheet } from './proposal-sheet.tsx'
import type { ProposalBody } from './request.ts'
import { PREVIOUS, rollbackLabel, rollbackRows } from './rollback-rows.ts'

const READING = 'Loading the history…'

interface RollbackProps extends OpenActProps {
  /** As it was when the sheet was opened. */
  readonly environment: Environment
}

/** A release of an image that ran before. */
export function Rollback({ kind, name, environment, state, asked, close }: RollbackProps) {
  const history = useHistory({ kind, name }, environment.name)
  const form = useForm<string>({})
  const rows = rollbackRows(history.value ?? [], environment.image, asked.to)
  const commit = form.texts[AT.imageTag] ?? asked.to ?? ''
  const row = commit === PREVIOUS ? rows[0] : rows.find((each) => each.commit === commit)
  const body: ProposalBody = {
    targetLifecycle: environment.lifecycle,
    overlayConfig: { image: { tag: row?.image?.tag ?? null, digest: row?.image?.digest ?? null } },
  }
  const choice: FieldSpec = {
    path: AT.imageTag,
    label: 'Back to',
    control: 'select',
    initial: row?.commit ?? '',
    options: [
      { value: '', label: 'Choose an image…' },
      ...rows.map((each) => ({ value: each.commit, label: rollbackLabel(each) })),
    ],
    help: `Now: ${imageText(environment.image)}. Only the image changes.`,
  }
  return (
    <ProposalSheet
      kind={kind}
      name={name}
      title={`Roll ${name} back in ${environment.name}`}
      form={form}
      paths={[AT.imageTag]}
      preview={row === undefined ? null : body}
      body={body}
      nothing={nothingOf(history.value === undefined, rows.length)}
      meanwhile={meanwhileOf(environment, state)}
      close={close}
    >
      {(errors) => (
        <>
          <AnswerState answer={history}>{READING}</AnswerState>
          {rows.length > 0 && <Fields of={[choice]} form={form} errors={errors} />}
          {history.value !== undefined && rows.length === 0 && (
            <p>Nothing else ran here. To use another image, release it.</p>
          )}
        </>
      )}
    </ProposalSheet>
  )
}

function nothingOf(isReading: boolean, count: number): string {
  if (isReading) return READING
  return count === 0 ? 'Nothing to preview.' : 'Choose an image.'
}
