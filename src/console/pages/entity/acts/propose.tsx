import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import type { OpenActProps } from './acts-props.ts'
import type { EntityAct } from './acts-of.ts'
import { AT, type FormPlan, formPlanOf, imageChoices, type Path, TAG } from './form-plan.ts'
import { meanwhileOf } from './meanwhile.ts'
import { MessageField } from './message-field.tsx'
import { OverlayFields } from './overlay-fields.tsx'
import { ProposalSheet } from './proposal-sheet.tsx'
import { emptyForm, type FormState, hasPreview, isChanged, requestOf } from './request.ts'
import { faultyRows, secretErrors, SECRETS } from './secret-errors.ts'
import { SecretRows } from './secret-rows.tsx'
import { sourceEnvironment, sourceOf, untried } from './source.ts'
import { useVersions } from '../use-versions.ts'
import { useProposal } from './use-proposal.ts'
import { WORDS } from './words.ts'

const PATHS = [...Object.values(AT), SECRETS]

/** A promotion, a release, or a change of the pull request of one. */
export function Propose({ act, ...props }: OpenActProps & { readonly act: EntityAct }) {
  const [plan] = useState(() => formPlanOf(props.state, act, props.asked.version))
  return plan === undefined ? null : <ProposeSheet {...props} plan={plan} />
}

interface ProposeSheetProps extends OpenActProps {
  readonly plan: FormPlan
}

function ProposeSheet({ kind, name, plan, state: present, reload, close }: ProposeSheetProps) {
  const state = useSignal<FormState>(emptyForm(plan))
  const form = state.value
  const { environment } = plan
  const meanwhile = meanwhileOf(environment, present)
  const change = (changes: Partial<FormState>) => {
    state.value = { ...state.value, ...changes }
  }
  const onText = (path: Path, text: string) =>
    change({ texts: { ...state.value.texts, [path]: text } })
  const preview = requestOf(plan, form, { isPreview: true })
  const proposal = useProposal({
    kind,
    name,
    preview: hasPreview(plan, preview) ? preview : null,
    body: requestOf(plan, form, { isPreview: false }),
    version: meanwhile.version,
    paths: PATHS,
    onDone() {
      change({ secrets: [] })
      return reload()
    },
  })
  const { errors, problem } = proposal
  const health = useResource('/api/v1/health', { query: { entity: [`${kind}/${name}`] } })
  const versions = useVersions({ kind, name })
  const choice = form.texts[AT.imageFrom]
  const source = choice.startsWith(TAG)
    ? untried(choice.slice(TAG.length))
    : sourceOf(sourceEnvironment(plan, present, form.texts)?.name, health.value)
  return (
    <ProposalSheet
      title={titleOf(plan, name)}
      proposal={proposal}
      nothing={WORDS.noChange}
      isChanged={isChanged(plan, form)}
      isFaulty={faultyRows(form.secrets).size > 0}
      submit={meanwhile.hasPullRequest ? WORDS.update : WORDS.open}
      meanwhile={meanwhile.words}
      confirmers={plan.confirmers}
      source={source}
      close={close}
    >
      <OverlayFields
        plan={plan}
        images={imageChoices(plan, versions.value ?? [])}
        form={form}
        app={name}
        errors={errors.at}
        onText={onText}
      >
        <SecretRows
          form={form}
          store={environment.secretsPath}
          errors={secretErrors(form.secrets, problem)}
          together={errors.at.get(SECRETS)}
          onChange={change}
        />
      </OverlayFields>
      <MessageField
        message={form.texts[AT.message]}
        errors={errors.at}
        onInput={(text) => onText(AT.message, text)}
      />
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
