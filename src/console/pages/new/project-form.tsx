import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { usePreview } from '../../api/preview.ts'
import { refresh } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { go } from '../../router.ts'
import { announce } from '../../ui/announce.ts'
import { focusRefused } from '../../ui/field.tsx'
import { Act, ProblemNote } from '../../ui/parts.tsx'
import { type Draft, fieldPathsOf, newDraft, requestOf, type Template } from './draft.ts'
import { Fields } from './fields.tsx'
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
  const draft = useSignal<Draft>(kept.get(template.id) ?? newDraft(template, team))
  const touched = useSignal<ReadonlySet<string> | 'all'>(new Set())
  const isStarting = useSignal(false)
  /** Why the request of this text was not begun. */
  const refused = useSignal<{ readonly text: string; readonly problem: Problem } | undefined>(
    undefined,
  )
  const keyOf = useMemo(() => createKeys(randomKey), [])
  const form = useRef<HTMLFormElement>(null)
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )

  /** Whether the first mistake gets the focus: it may come with a later preview than that of the attempt. */
  const isAttempted = useRef(false)
  useEffect(() => {
    if (isAttempted.current && focusRefused(form.current)) isAttempted.current = false
  })

  const namespaces = useNamespaces(draft.value.team)
  const request = requestOf(template, draft.value, namespaces[0] ?? '')
  const text = JSON.stringify(request)
  const refusal = session.value === undefined ? null : refusalFor(session.value, request.team)
  const preview = usePreview(
    refusal !== null || request.appName === '' ? null : request,
    (body, signal) => call('post', '/api/v1/scaffold', { query: { dryRun: true }, body, signal }),
    isPreview,
  )
  const failure = refused.value?.text === text ? refused.value.problem : undefined
  const mistakes = shownMistakes(failure ?? preview.problem, fieldPathsOf(template), touched.value)

  async function start() {
    isStarting.value = true
    const headers = { prefer: 'respond-async', 'idempotency-key': keyOf(request) }
    const answer = await call('post', '/api/v1/scaffold', { body: request, headers })
    isStarting.value = false
    if (answer.ok && 'runId' in answer.value.value) {
      kept.delete(template.id)
      refresh('/api/v1/scaffold/runs')
      // A person who has gone elsewhere meanwhile stays there.
      if (isShown.current) go(pathOf('run', { id: answer.value.value.runId }))
      else announce(`${request.appName} was started: see the recent projects`)
      return
    }
    isAttempted.current = true
    touched.value = 'all'
    if (!answer.ok) refused.value = { text, problem: answer.problem }
    announce('The project was not started: see the form')
  }

  return (
    <div class="new-columns">
      <form
        ref={form}
        class="new-form"
        aria-label="The project"
        noValidate
        // Enter in a field makes no repository: the button does.
        onSubmit={(event) => event.preventDefault()}
      >
        <Fields
          template={template}
          draft={draft.value}
          namespaces={namespaces}
          mistakes={mistakes.at}
          onChange={(change) => {
            isAttempted.current = false
            draft.value = { ...draft.peek(), ...change }
            kept.set(template.id, draft.value)
          }}
          onLeave={(path) => {
            const before = touched.peek()
            if (before !== 'all') touched.value = new Set([...before, path])
          }}
        />
        {mistakes.elsewhere.map(({ path, message }) => (
          <p class="error" key={path}>
            {path}: {message}
          </p>
        ))}
        {failure !== undefined && !isOfFields(failure) && <ProblemNote problem={failure} />}
        <footer>
          <Act icon="plus" isPrimary reason={refusal} isBusy={isStarting.value} onClick={start}>
            {isStarting.value ? 'Starting…' : 'Start the project'}
          </Act>
          {refusal !== null && <p class="muted">{refusal}</p>}
        </footer>
      </form>
      <PreviewPanel preview={preview} isNamed={request.appName !== ''} refusal={refusal} />
    </div>
  )
}
