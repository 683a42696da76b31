import { useResource } from '../../../api/resource.ts'
import type { FieldSpec } from '../../../ui/field-spec.ts'
import { Fields, useForm } from '../../../ui/form.tsx'
import type { OpenActProps } from './acts-of.ts'
import { ProposalSheet } from './proposal-sheet.tsx'
import type { ProposalBody } from './request.ts'

const REPLACED_BY = '/deprecation/replacedBy'
const FIELDS: readonly FieldSpec[] = [
  { path: '/deprecation/reason', label: 'Reason', help: 'Why people should stop using it' },
  { path: REPLACED_BY, label: 'Replaced by', help: 'An entity, such as component:payments-api' },
  { path: '/deprecation/sunsetAt', label: 'Sunset', help: 'Last day of support', control: 'date' },
]
const PATHS = FIELDS.map(({ path }) => path)
/** Entities that are offered while a name is typed. */
const SUGGESTED_MAX = 20

/** The end of an entity: its lifecycle, and why, by what and when, as annotations. */
export function Deprecate({ kind, name, close }: OpenActProps) {
  const form = useForm<string>({})
  const q = form.texts[REPLACED_BY]?.trim() ?? ''
  const entities = useResource(q === '' ? null : '/api/v1/catalog/entities', {
    query: { q, limit: SUGGESTED_MAX, fields: ['kind', 'metadata.name'] },
  })
  const suggestions = (entities.value ?? []).map(
    (each) => `${each.kind.toLowerCase()}:${each.metadata.name}`,
  )
  const given = PATHS.map(
    (path) => [path.slice('/deprecation/'.length), form.texts[path]?.trim() ?? ''] as const,
  )
  const body: ProposalBody = {
    targetLifecycle: 'deprecated',
    deprecation: Object.fromEntries(given.filter(([, text]) => text !== '')),
  }
  return (
    <ProposalSheet
      kind={kind}
      name={name}
      title={`Deprecate ${name}`}
      form={form}
      paths={PATHS}
      preview={body}
      body={body}
      nothing=""
      close={close}
    >
      {(errors) => (
        <Fields
          of={FIELDS.map((spec) => (spec.path === REPLACED_BY ? { ...spec, suggestions } : spec))}
          form={form}
          errors={errors}
        />
      )}
    </ProposalSheet>
  )
}
