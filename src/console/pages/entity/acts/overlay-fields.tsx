import type { ComponentChildren } from 'preact'
import type { PlacedErrors } from '../../../ui/field-errors.ts'
import type { FieldSpec } from '../../../ui/field-spec.ts'
import { Fields, type Form } from '../../../ui/form.tsx'
import { AT, type Choice, type FormPlan, OWN, type Path } from './form-plan.ts'
import { WORDS } from './words.ts'

interface Spec extends FieldSpec {
  readonly path: Path
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

interface OverlayFieldsProps {
  readonly plan: FormPlan
  readonly images: readonly Choice[]
  readonly form: Form<Path>
  readonly app: string
  readonly errors: PlacedErrors['at']
  /** Fields after the settings. */
  readonly children: ComponentChildren
}

/** The version, and the settings of an overlay: of one that is there they are folded. */
export function OverlayFields({ plan, images, form, app, errors, children }: OverlayFieldsProps) {
  const { environment, initial, isNew } = plan
  const isKept = (path: Path) => !isNew && initial[path] !== '' && form.texts[path] === ''
  const fields = (...specs: readonly Spec[]) => (
    <Fields
      of={specs
        .filter(({ path }) => plan.has(path))
        .map((spec) =>
          isKept(spec.path) ? { ...spec, help: `Keeps ${initial[spec.path]}` } : spec,
        )}
      form={form}
      errors={errors}
    />
  )
  return (
    <>
      {fields({ path: AT.imageFrom, label: 'Version', control: 'select', options: images })}
      {form.texts[AT.imageFrom] === OWN &&
        fields(
          { path: AT.imageTag, label: 'Tag', placeholder: '1.5.0', help: WORDS.built },
          { path: AT.imageDigest, label: 'Digest', placeholder: 'sha256:…' },
        )}
      <details class="act-more" open={isNew}>
        <summary>Settings and secrets</summary>
        {fields({ path: AT.replicas, label: 'Replicas', control: 'number', help: '0 to 100' })}
        <div class="act-pairs">{fields(...SIZES)}</div>
        {fields(
          {
            path: AT.host,
            label: 'Host',
            placeholder: `${app}.example.org`,
            help: isNew ? 'Empty for none' : undefined,
          },
          { path: AT.databaseTier, label: 'Database', control: 'select', options: TIERS },
          {
            path: AT.databaseName,
            label: 'Database name',
            placeholder: `${app}-${environment.name}-db`,
          },
        )}
        {children}
      </details>
    </>
  )
}
