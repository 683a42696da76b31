import { useSignal } from '@preact/signals'
import { useResource } from '../../../api/resource.ts'
import { Field } from '../../../ui/field.tsx'
import type { OpenActProps } from './acts-props.ts'
import { AT } from './form-plan.ts'
import { MessageField } from './message-field.tsx'
import { ProposalSheet } from './proposal-sheet.tsx'
import type { ProposalBody } from './request.ts'
import { useProposal } from './use-proposal.ts'
import { WORDS } from './words.ts'

const FIELDS = [
  { name: 'reason', label: 'Reason', help: WORDS.reason },
  { name: 'replacedBy', label: 'Replaced by', help: WORDS.replacedBy },
  { name: 'sunsetAt', label: 'Sunset', help: WORDS.sunset, control: 'date' },
] as const
const pathOf = (name: string) => `/deprecation/${name}`
const PATHS = [...FIELDS.map(({ name }) => pathOf(name)), AT.message]
const EMPTY: Readonly<Record<string, string>> = {}
/** Entities that are offered while a name is typed. */
const SUGGESTED_MAX = 20

/** The end of an entity: its lifecycle, and why, by what and when, as annotations. */
export function Deprecate({ kind, name, reload, close }: OpenActProps) {
  const texts = useSignal(EMPTY)
  const message = useSignal('')
  const given = Object.entries(texts.value)
    .map(([field, text]) => [field, text.trim()] as const)
    .filter(([, text]) => text !== '')
  const replacedBy = texts.value['replacedBy']?.trim() ?? ''
  const entities = useResource(replacedBy === '' ? null : '/api/v1/catalog/entities', {
    query: { q: replacedBy, limit: SUGGESTED_MAX, fields: ['kind', 'metadata.name'] },
  })
  const preview: ProposalBody = {
    targetLifecycle: 'deprecated',
    deprecation: Object.fromEntries(given),
  }
  const text = message.value.trim()
  const proposal = useProposal({
    kind,
    name,
    preview,
    body: text === '' ? preview : { ...preview, message: text },
    paths: PATHS,
    onDone: reload,
  })
  const suggestions = (entities.value ?? []).map(
    (each) => `${each.kind.toLowerCase()}:${each.metadata.name}`,
  )
  return (
    <ProposalSheet
      title={`Deprecate ${name}`}
      proposal={proposal}
      nothing=""
      isChanged={given.length > 0 || text !== ''}
      submit={WORDS.open}
      close={close}
    >
      {FIELDS.map(({ name: field, ...shown }) => (
        <Field
          key={field}
          {...shown}
          path={pathOf(field)}
          value={texts.value[field] ?? ''}
          errors={proposal.errors.at.get(pathOf(field))}
          {...(field === 'replacedBy' && { suggestions })}
          onInput={(value) => {
            texts.value = { ...texts.value, [field]: value }
          }}
        />
      ))}
      <MessageField
        message={message.value}
        errors={proposal.errors.at}
        onInput={(value) => {
          message.value = value
        }}
      />
    </ProposalSheet>
  )
}
