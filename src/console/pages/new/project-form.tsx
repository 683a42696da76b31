import { useEffect, useMemo, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { useSubmission } from '../../api/submission.ts'
import { pathOf } from '../../paths.ts'
import { go } from '../../router.ts'
import { ActProblem } from '../../ui/act-problem.tsx'
import { announce } from '../../ui/announce.ts'
import { FormBox, FormFoot, useForm, useUnsaved } from '../../ui/form.tsx'
import { AT, type Draft, fieldPathsOf, newDraft, requestOf, type Template } from './draft.ts'
import { ProjectFields } from './fields.tsx'
import { createKeys, randomKey } from './idempotency.ts'
import { refusalFor } from './may-start.ts'
import { isOfFields, shownMistakes } from './mistakes.ts'
import { isPreview, PreviewPanel } from './preview.tsx'
import { useNamespaces } from './use-places.ts'

/** Drafts by template: a look at another page loses nothing that was typed. */
const kept = new Map<string, Draft>()

interface ProjectFormProps {
  readonly template: Template
  /** Chosen at first. */
  readonly team: string
}

/** The fields of a project beside what it would make, and its start. */
export function ProjectForm({ template, team }: ProjectFormProps) {
  const form = useForm(
    newDraft(team),
    (draft) => kept.set(template.id, draft),
    kept.get(template.id),
  )
  const keyOf = useMemo(() => createKeys(randomKey), [])
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )
  useUnsaved(form.isChanged)
  const namespaces = useNamespaces(form.texts[AT.team] ?? '')
  const request = requestOf(template, form.texts, namespaces[0] ?? '')
  const { appName } = request
  const reason = session.value === undefined ? null : refusalFor(session.value, request.team)
  const { preview, problem, refusal, isBusy, submit } = useSubmission({
    preview: reason !== null || appName === '' ? null : request,
    body: request,
    ask: (body, signal) =>
      call('post', '/api/v1/scaffold', { query: { dryRun: true }, body, signal }),
    isPreview,
    send: (body) => start(body, keyOf(body)),
  })
  const mistakes = shownMistakes(problem, fieldPathsOf(template), form.left)

  async function onSend() {
    if (reason !== null) return
    const id = await submit()
    if (id === undefined) {
      form.refuse()
      return
    }
    kept.delete(template.id)
    // A person who has gone elsewhere meanwhile stays there.
    if (isShown.current) go(pathOf('run', { id }))
    else announce(`${appName} was started: see the recent projects`)
  }

  return (
    <div class="new-columns">
      <FormBox form={form} class="new-form" label="The project" onSend={onSend}>
        <ProjectFields
          template={template}
          form={form}
          namespaces={namespaces}
          errors={mistakes.at}
        />
        {mistakes.elsewhere.map(({ path, message }) => (
          <p class="error" key={path}>
            {path}: {message}
          </p>
        ))}
        {refusal !== undefined && !isOfFields(refusal) && <ActProblem problem={refusal} />}
        <FormFoot
          icon="plus"
          label="Start the project"
          isBusy={isBusy}
          reason={reason}
          status={reason ?? (mistakes.at.size > 0 && 'Correct the marked fields')}
          onSend={onSend}
        />
      </FormBox>
      <PreviewPanel preview={preview} isNamed={appName !== ''} refusal={reason} />
    </div>
  )
}

/** Answers with the id of the run. */
async function start(body: ReturnType<typeof requestOf>, key: string) {
  const headers = { prefer: 'respond-async', 'idempotency-key': key }
  const answer = await call('post', '/api/v1/scaffold', { body, headers })
  if (!answer.ok) return answer
  void refresh('/api/v1/scaffold/runs')
  return {
    ok: true,
    value: 'runId' in answer.value.value ? answer.value.value.runId : undefined,
  } as const
}
