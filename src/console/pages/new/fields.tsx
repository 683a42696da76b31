import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { Field } from '../../ui/field.tsx'
import { shortName } from '../../ui/names.ts'
import { fieldsOf } from '../../ui/schema-form.ts'
import { type Draft, FEATURES, type Template } from './draft.ts'

export interface FieldsProps {
  readonly template: Template
  readonly draft: Draft
  /** Namespaces of the team; the first is used when none is typed. */
  readonly namespaces: readonly string[]
  /** Mistakes by the place of their field. */
  readonly mistakes: ReadonlyMap<string, readonly string[]>
  readonly onChange: (change: Partial<Draft>) => void
  readonly onLeave: (path: string) => void
}

/** Every field shows its mistakes, and tells that it was left. */
const placed = ({ mistakes, onLeave }: FieldsProps, path: string) => ({
  path,
  errors: mistakes.get(path),
  onBlur: () => onLeave(path),
})

export function Fields(props: FieldsProps) {
  const { draft, namespaces, onChange } = props
  return (
    <>
      <Field
        {...placed(props, '/appName')}
        label="Name"
        help="Of the repository and in the catalog, such as refund-api"
        value={draft.appName}
        onInput={(appName) => onChange({ appName })}
      />
      <Field
        {...placed(props, '/description')}
        label="Description (optional)"
        value={draft.description}
        onInput={(description) => onChange({ description })}
      />
      <TeamField {...props} />
      <Field
        {...placed(props, '/namespace')}
        label="Namespace"
        help="Of Kubernetes, where it will run"
        suggestions={namespaces}
        value={draft.namespace ?? namespaces[0] ?? ''}
        onInput={(namespace) => onChange({ namespace })}
      />
      <Features {...props} />
      <Parameters {...props} />
    </>
  )
}

/** Teams of the person to choose from; the platform team types any, with those of the catalog suggested. */
function TeamField(props: FieldsProps) {
  const { draft, onChange } = props
  const isPlatform = session.value?.platform === true
  const teams = session.value?.teams ?? []
  const facets = useResource(isPlatform ? '/api/v1/catalog/facets' : null)
  const field = {
    ...placed(props, '/team'),
    label: 'Team',
    help: 'Owns the project',
    value: draft.team,
    onInput: (team: string) => onChange({ team }),
  }
  if (isPlatform) {
    const owners = facets.value?.owner.map(({ value }) => shortName(value)) ?? []
    return <Field {...field} suggestions={[...new Set(owners)]} />
  }
  const options = teams.length === 0 ? [{ value: '', label: 'You are in no team' }] : teams
  return <Field {...field} control="select" options={options} />
}

function Features(props: FieldsProps) {
  const { template, draft, onChange } = props
  return (
    <fieldset class="new-group">
      <legend>What it needs</legend>
      {FEATURES.map(({ name, label, help }) => {
        const { supported } = template.features[name]
        return (
          <Field
            key={name}
            {...placed(props, `/features/${name}`)}
            label={label}
            control="checkbox"
            help={supported ? help : 'Not with this template'}
            isDisabled={!supported}
            value={String(draft.features[name])}
            onInput={(value) =>
              onChange({ features: { ...draft.features, [name]: value === 'true' } })
            }
          />
        )
      })}
    </fieldset>
  )
}

/** The parameters of the template, each by the control that its schema asks for. */
function Parameters(props: FieldsProps) {
  const { template, draft, onChange } = props
  const { parameters } = template
  if (parameters === undefined) return null
  return (
    <fieldset class="new-group">
      <legend>{parameters.title ?? 'For this template'}</legend>
      {fieldsOf(parameters).map(({ name, path, example, constraints, initial, ...field }) => (
        <Field
          key={name}
          {...placed(props, path)}
          {...field}
          placeholder={example ?? undefined}
          maxLength={constraints.maxLength}
          value={draft.parameters[name] ?? initial}
          onInput={(value) => onChange({ parameters: { ...draft.parameters, [name]: value } })}
        />
      ))}
    </fieldset>
  )
}
