import { Field, type FieldProps } from '../../../ui/field.tsx'
import type { PlacedErrors } from '../../../ui/field-errors.ts'
import type { ComponentChildren } from 'preact'
import { AT, type Choice, type FormPlan, OWN, type Path } from './form-plan.ts'
import type { FormState } from './request.ts'
import { WORDS } from './words.ts'

interface Spec extends Pick<FieldProps, 'control' | 'help' | 'placeholder' | 'options'> {
  readonly path: Path
  readonly label: string
}

const SIZES: readonly Spec[] = [
  { path: AT.cpuRequest, label: 'CPU request', placeholder: '100m' },
  { path: AT.cpuLimit, label: 'CPU limit', placeholder: '500m' },
  { path: AT.memoryRequest, label: 'Memory request', placeholder: '128Mi' },
  { path: AT.memoryLimit, label: 'Memory limit', placeholder: '256Mi' },
]

const TIERS = [
  { value: '', label: 'As in the base' },
  { value: 'shared', label: 'Shared' },
  { value: 'dedicated', label: 'Dedicated' },
]

export interface OverlayFieldsProps {
  readonly plan: FormPlan
  readonly images: readonly Choice[]
  readonly form: FormState
  readonly app: string
  readonly errors: PlacedErrors['at']
  readonly onText: (path: Path, text: string) => void
  /** Fields after the settings. */
  readonly children: ComponentChildren
}

/** The version, and the settings of an overlay: of one that is there they are folded. */
export function OverlayFields(props: OverlayFieldsProps) {
  const { plan, images, form, app, errors, onText } = props
  const { environment, initial, isNew } = plan
  const field = ({ path, help, ...spec }: Spec) =>
    plan.has(path) && (
      <Field
        key={path}
        {...spec}
        path={path}
        value={form.texts[path]}
        onInput={(text) => onText(path, text)}
        errors={errors.get(path)}
        help={
          !isNew && initial[path] !== '' && form.texts[path] === ''
            ? `Keeps ${initial[path]}`
            : help
        }
      />
    )
  const isOwn = form.texts[AT.imageFrom] === OWN
  return (
    <>
      {field({ path: AT.imageFrom, label: 'Version', control: 'select', options: images })}
      {isOwn &&
        field({
          path: AT.imageTag,
          label: 'Tag',
          placeholder: '1.5.0',
          help: WORDS.built,
        })}
      {isOwn && field({ path: AT.imageDigest, label: 'Digest', placeholder: 'sha256:…' })}
      <details class="act-more" open={isNew}>
        <summary>Settings and secrets</summary>
        {field({ path: AT.replicas, label: 'Replicas', control: 'number', help: '0 to 100' })}
        <div class="act-pairs">{SIZES.map(field)}</div>
        {field({
          path: AT.host,
          label: 'Host',
          placeholder: `${app}.example.org`,
          help: isNew ? 'Empty for none' : undefined,
        })}
        {field({ path: AT.databaseTier, label: 'Database', control: 'select', options: TIERS })}
        {field({
          path: AT.databaseName,
          label: 'Database name',
          placeholder: `${app}-${environment.name}-db`,
        })}
        {props.children}
      </details>
    </>
  )
}
