import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { session } from '../../api/session.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { go } from '../../router.ts'
import { announce } from '../../ui/announce.ts'
import { focusRefused } from '../../ui/field.tsx'
import { shortName } from '../../ui/names.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Act, Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import type { PageProps } from '../index.ts'
import { type Draft, fieldPathsOf, newDraft, requestOf, type Template } from './draft.ts'
import { Fields } from './fields.tsx'
import { createKeys, randomKey } from './idempotency.ts'
import { refusalFor } from './may-start.ts'
import { isOfFields, shownMistakes } from './mistakes.ts'
import { PreviewPanel } from './preview.tsx'
import { useNamespaces } from './use-places.ts'
import { usePreview } from './use-preview.ts'

/** `/new/:template`: the form of a project, beside what it would make. */
export default function NewProject({ parameters }: PageProps<'newProject'>) {
  const list = useResource('/api/v1/scaffold/templates')
  const template = list.value?.find(({ id }) => id === parameters.template)
  const who = session.value
  return (
    <>
      <PageHead
        title={template?.title ?? parameters.template}
        crumbs={[{ label: 'New project', href: PATHS.templates }]}
      />
      {list.problem !== undefined && (
        <ProblemNote problem={list.problem} retry={list.reload} isStale={template !== undefined} />
      )}
      {template !== undefined && <About template={template} />}
      {template !== undefined && who !== undefined && (
        <ProjectForm template={template} team={who.teams[0] ?? ''} />
      )}
      {list.value === undefined && list.problem === undefined && (
        <Loading>Loading the template…</Loading>
      )}
      {list.value !== undefined && template === undefined && <NoTemplate />}
    </>
  )
}

const About = ({ template: { description, owner, version, deprecated } }: AboutProps) => (
  <>
    <p class="new-lead">
      <bdi>{description}</bdi> · {shortName(owner)} · {version}
    </p>
    {deprecated && (
      <p class="notice" data-tone="warn">
        This template is deprecated: projects can still be started from it, and {shortName(owner)}{' '}
        would rather that you chose another one.
      </p>
    )}
  </>
)

interface AboutProps {
  readonly template: Template
}

const NoTemplate = () => (
  <Empty title="There is no such template">
    <p>
      It may have been removed, or have a mistake: see the{' '}
      <a href={PATHS.problems}>problems of the catalog</a>.
    </p>
    <a class="button" href={PATHS.templates}>
      All templates
    </a>
  </Empty>
)

/** What was typed, by template: a look at another page loses nothing. */
const kept = new Map<string, Draft>()

interface ProjectFormProps {
  readonly template: Template
  /** Chosen at first. */
  readonly team: string
}

function ProjectForm({ template, team }: ProjectFormProps) {
  const draft = useSignal<Draft>(kept.get(template.id) ?? newDraft(template, team))
  const touched = useSignal<ReadonlySet<string> | 'all'>(new Set())
  const isStarting = useSignal(false)
  /** Why the request of this text was not begun. */
  const refused = useSignal<{ readonly text: string; readonly problem: Problem } | undefined>(
    undefined,
  )
  const keyOf = useMemo(() => createKeys(randomKey), [])
  const form = useRef<HTMLFormElement>(null)

  const namespaces = useNamespaces(draft.value.team)
  const request = requestOf(template, draft.value, namespaces[0] ?? '')
  const text = JSON.stringify(request)
  const refusal = session.value === undefined ? null : refusalFor(session.value, request.team)
  const preview = usePreview(refusal !== null || request.appName === '' ? null : request)
  const begun = refused.value?.text === text ? refused.value.problem : undefined
  const mistakes = shownMistakes(begun ?? preview.problem, fieldPathsOf(template), touched.value)

  async function start() {
    isStarting.value = true
    const headers = { prefer: 'respond-async', 'idempotency-key': keyOf(request) }
    const answer = await call('post', '/api/v1/scaffold', { body: request, headers })
    isStarting.value = false
    if (answer.ok && 'runId' in answer.value.value) {
      kept.delete(template.id)
      refresh('/api/v1/scaffold/runs')
      go(pathOf('run', { id: answer.value.value.runId }))
      return
    }
    touched.value = 'all'
    if (!answer.ok) refused.value = { text, problem: answer.problem }
    // After the fields were drawn with their mistakes.
    requestAnimationFrame(() => {
      focusRefused(form.current)
    })
    announce('The project was not started: see the form')
  }

  return (
    <div class="new-columns">
      <form
        ref={form}
        class="new-form"
        aria-label="The project"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <Fields
          template={template}
          draft={draft.value}
          namespaces={namespaces}
          mistakes={mistakes.at}
          onChange={(change) => {
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
        {begun !== undefined && !isOfFields(begun) && <ProblemNote problem={begun} />}
        <footer>
          <Act icon="plus" isPrimary reason={refusal} isBusy={isStarting.value}>
            {isStarting.value ? 'Starting…' : 'Start the project'}
          </Act>
          {refusal !== null && <p class="muted">{refusal}</p>}
        </footer>
      </form>
      <PreviewPanel preview={preview} isNamed={request.appName !== ''} refusal={refusal} />
    </div>
  )
}
