import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useResource } from '../../../api/resource.ts'
import type { FieldSpec, PlacedErrors } from '../../../ui/field-spec.ts'
import { Fields, type Form, useForm } from '../../../ui/form.tsx'
import { useVersions } from '../use-entity.ts'
import type { OpenActProps } from './acts-of.ts'
import { AT, type Choice, type FormPlan, imageChoices, OWN, type Path, TAG } from './form-plan.ts'
import { meanwhileOf } from './meanwhile.ts'
import { ProposalSheet } from './proposal-sheet.tsx'
import {
  faultyRows,
  type FormState,
  hasPreview,
  hasSecrets,
  NO_SECRETS,
  requestOf,
  secretErrors,
  SECRETS,
} from './request.ts'
import { SecretRows } from './secret-rows.tsx'
import { sourceEnvironment, sourceOf, untried } from './source.ts'

const PATHS = [...Object.values(AT), SECRETS]

interface ProposeProps extends OpenActProps {
  readonly plan: FormPlan
}

/** A promotion, a release, or a change of the pull request of one. */
export function Propose({ kind, name, plan, state: present, close }: ProposeProps) {
  const form = useForm(plan.initial)
  const secrets = useSignal(NO_SECRETS)
  const state: FormState = { texts: form.texts, ...secrets.value }
  const preview = requestOf(plan, state, { isPreview: true })
  const health = useResource('/api/v1/health', { query: { entity: [`${kind}/${name}`] } })
  const versions = useVersions({ kind, name })
  const choice = form.texts[AT.imageFrom]
  const source = choice.startsWith(TAG)
    ? untried(choice.slice(TAG.length))
    : sourceOf(sourceEnvironment(plan, present, form.texts)?.name, health.value)
  return (
    <ProposalSheet
      kind={kind}
      name={name}
      title={titleOf(plan, name)}
      form={form}
      paths={PATHS}
      preview={hasPreview(plan, preview) ? preview : null}
      body={requestOf(plan, state, { isPreview: false })}
      nothing="No changes yet."
      isChanged={hasSecrets(state)}
      isFaulty={faultyRows(state.secrets).size > 0}
      meanwhile={meanwhileOf(plan.environment, present)}
      confirmers={plan.confirmers}
      source={source}
      close={close}
    >
      {(errors, problem) => (
        <OverlayFields
          plan={plan}
          images={imageChoices(plan, versions.value ?? [])}
          form={form}
          app={name}
          errors={errors}
        >
          <SecretRows
            form={state}
            store={plan.environment.secretsPath}
            errors={secretErrors(state.secrets, problem)}
            together={errors.get(SECRETS)}
            onChange={(changes) => {
              secrets.value = { ...secrets.peek(), ...changes }
            }}
          />
        </OverlayFields>
      )}
    </ProposalSheet>
  )
}

function titleOf({ kind, environment, pullRequest }: FormPlan, name: string): string {
  if (pullRequest !== null) {
    return `Update pull request #${pullRequest}: ${name} in ${environment.name}`
  }
  return kind === 'promotion'
    ? `Promote ${name} to ${environment.name}`
    : `Release ${name} to ${environment.name}`
}

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
function OverlayFields({ plan, images, form, app, errors, children }: OverlayFieldsProps) {
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
          { path: AT.imageTag, label: 'Tag', placeholder: '1.5.0', help: 'Must be built already' },
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
