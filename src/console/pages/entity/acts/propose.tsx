import { useSignal } from '@preact/signals'
import { useResource } from '../../../api/resource.ts'
import { useForm } from '../../../ui/form.tsx'
import { useVersions } from '../use-entity.ts'
import type { OpenActProps } from './acts-of.ts'
import { AT, type FormPlan, imageChoices, TAG } from './form-plan.ts'
import { meanwhileOf } from './meanwhile.ts'
import { OverlayFields } from './overlay-fields.tsx'
import { ProposalSheet } from './proposal-sheet.tsx'
import {
  faultyRows,
  type FormState,
  hasPreview,
  hasSecrets,
  NO_SECRETS,
  requestOf,
  SECRETS,
  secretErrors,
} from './request.ts'
import { SecretRows } from './secret-rows.tsx'
import { sourceEnvironment, sourceOf, untried } from './source.ts'
import { WORDS } from './words.ts'

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
      nothing={WORDS.noChange}
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
