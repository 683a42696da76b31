import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { Field } from '../../../ui/field.tsx'
import { ProblemNote } from '../../../ui/parts.tsx'
import type { OpenActProps } from './acts-props.ts'
import type { EntityAct, Environment } from './acts-of.ts'
import { AT, imageText } from './form-plan.ts'
import { meanwhileOf } from './meanwhile.ts'
import { MessageField } from './message-field.tsx'
import { ProposalSheet } from './proposal-sheet.tsx'
import type { ProposalBody } from './request.ts'
import { PREVIOUS, rollbackLabel, rollbackRows } from './rollback-rows.ts'
import { useProposal } from './use-proposal.ts'
import { WORDS } from './words.ts'

/** The largest page of the history. */
const ROWS_MAX = 50
const PATHS = [AT.imageTag, AT.message]

/** A release of an image that ran before. */
export function Rollback({ act, ...props }: OpenActProps & { readonly act: EntityAct }) {
  const [environment] = useState(() =>
    props.state.environments.find(({ name }) => name === act.environment),
  )
  return environment === undefined ? null : <RollbackSheet {...props} environment={environment} />
}

interface RollbackSheetProps extends OpenActProps {
  readonly environment: Environment
}

function RollbackSheet({
  kind,
  name,
  environment,
  state,
  asked,
  reload,
  close,
}: RollbackSheetProps) {
  const meanwhile = meanwhileOf(environment, state)
  const history = useResource('/api/v1/catalog/entities/{kind}/{name}/promotion/history', {
    params: { kind, name },
    query: { environment: environment.name, limit: ROWS_MAX },
  })
  const commit = useSignal(asked.to ?? '')
  const message = useSignal('')
  const rows = rollbackRows(history.value ?? [], environment.image, asked.to)
  const row =
    commit.value === PREVIOUS ? rows[0] : rows.find((each) => each.commit === commit.value)
  const preview: ProposalBody = {
    targetLifecycle: environment.lifecycle,
    overlayConfig: { image: { tag: row?.image?.tag ?? null, digest: row?.image?.digest ?? null } },
  }
  const text = message.value.trim()
  const proposal = useProposal({
    kind,
    name,
    preview: row === undefined ? null : preview,
    body: text === '' ? preview : { ...preview, message: text },
    version: meanwhile.version,
    paths: PATHS,
    onDone: reload,
  })
  return (
    <ProposalSheet
      title={`Roll ${name} back in ${environment.name}`}
      proposal={proposal}
      nothing={nothingOf(history.value === undefined, rows.length)}
      isChanged={text !== ''}
      submit={meanwhile.hasPullRequest ? WORDS.update : WORDS.open}
      meanwhile={meanwhile.words}
      close={close}
    >
      {history.problem !== undefined && (
        <ProblemNote problem={history.problem} retry={history.reload} />
      )}
      {rows.length > 0 && (
        <Field
          path={AT.imageTag}
          label="Back to"
          control="select"
          value={row?.commit ?? ''}
          options={[
            { value: '', label: 'Choose an image…' },
            ...rows.map((each) => ({ value: each.commit, label: rollbackLabel(each) })),
          ]}
          help={`Now: ${imageText(environment.image)}. Only the image changes.`}
          errors={proposal.errors.at.get(AT.imageTag)}
          onInput={(value) => {
            commit.value = value
          }}
        />
      )}
      {rows.length > 0 && (
        <MessageField
          message={message.value}
          errors={proposal.errors.at}
          onInput={(value) => {
            message.value = value
          }}
        />
      )}
      {history.value !== undefined && rows.length === 0 && <p>{WORDS.noOtherImage}</p>}
    </ProposalSheet>
  )
}

function nothingOf(isReading: boolean, count: number): string {
  if (isReading) return WORDS.loadingHistory
  return count === 0 ? WORDS.nothingToPreview : WORDS.chooseImage
}
