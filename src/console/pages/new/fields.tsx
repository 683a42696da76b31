import type { ComponentChildren } from 'preact'
import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import type { PlacedErrors } from '../../ui/field-errors.ts'
import type { FieldSpec } from '../../ui/field-spec.ts'
import { Fields, type Form } from '../../ui/form.tsx'
import { shortName } from '../../ui/names.ts'
import { AT, featureFields, parameterFields, type Template } from './draft.ts'

interface ProjectFieldsProps {
  readonly template: Template
  readonly form: Form
  /** Namespaces of the team; the first is used when none is typed. */
  readonly namespaces: readonly string[]
  readonly errors: PlacedErrors['at']
}

export function ProjectFields({ template, namespaces, ...form }: ProjectFieldsProps) {
  const team = useTeamField()
  const fields: readonly FieldSpec[] = [
    {
      path: AT.name,
      label: 'Name',
      help: 'Of the repository and in the catalog, such as refund-api',
    },
    { path: AT.description, label: 'Description (optional)' },
    team,
    {
      path: AT.namespace,
      label: 'Namespace',
      help: 'Of Kubernetes, where it will run',
      suggestions: namespaces,
      initial: namespaces[0] ?? '',
    },
  ]
  const parameters = parameterFields(template)
  return (
    <>
      <Fields {...form} of={fields} />
      <Group title="What it needs">
        <Fields {...form} of={featureFields(template)} />
      </Group>
      {parameters.length > 0 && (
        <Group title={template.parameters?.title ?? 'For this template'}>
          <Fields {...form} of={parameters} />
        </Group>
      )}
    </>
  )
}

const Group = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <fieldset class="new-group">
    <legend>{title}</legend>
    {children}
  </fieldset>
)

/** Teams of the person to choose from; the platform team types any, with those of the catalog suggested. */
function useTeamField(): FieldSpec {
  const { platform = false, teams = [] } = session.value ?? {}
  const facets = useResource(platform ? '/api/v1/catalog/facets' : null)
  const field = { path: AT.team, label: 'Team', help: 'Owns the project' }
  if (platform) {
    const owners = facets.value?.owner.map(({ value }) => shortName(value)) ?? []
    return { ...field, suggestions: [...new Set(owners)] }
  }
  const options = teams.length === 0 ? [{ value: '', label: 'You are in no team' }] : teams
  return { ...field, control: 'select', options }
}
