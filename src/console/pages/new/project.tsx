import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { useSubmission } from '../../api/submission.ts'
import { type PageProps, pathOf, PATHS } from '../../paths.ts'
import { go } from '../../router.ts'
import { ActProblem } from '../../ui/act-problem.tsx'
import { announce } from '../../ui/announce.ts'
import type { FieldSpec, PlacedErrors } from '../../ui/field-spec.ts'
import { Fields, type Form, FormBox, FormFoot, useForm, useUnsaved } from '../../ui/form.tsx'
import { shortName } from '../../ui/names.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import {
  AT,
  type ClusterNamespace,
  createKeys,
  type Draft,
  featureFields,
  fieldPathsOf,
  namespacesOf,
  newDraft,
  parameterFields,
  randomKey,
  refusalFor,
  requestOf,
  type Template,
} from './draft.ts'
import { isOfFields, shownMistakes } from './mistakes.ts'
import { isPreview, PreviewPanel } from './preview.tsx'

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
      <AnswerState answer={list}>Reading the template…</AnswerState>
      {template !== undefined && <About template={template} />}
      {template !== undefined && who !== undefined && (
        <ProjectForm template={template} team={who.teams[0] ?? ''} />
      )}
      {list.value !== undefined && template === undefined && <NoTemplate />}
    </>
  )
}

const About = ({ template }: { readonly template: Template }) => (
  <>
    <p class="new-lead">
      <bdi>{template.description}</bdi> · {shortName(template.owner)} · {template.version}
    </p>
    {template.deprecated && (
      <p class="notice" data-tone="warn">
        This template is deprecated: projects can still be started from it, and{' '}
        {shortName(template.owner)} would rather that you chose another one.
      </p>
    )}
  </>
)

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

/** Drafts by template: a look at another page loses nothing that was typed. */
const kept = new Map<string, Draft>()

interface ProjectFormProps {
  readonly template: Template
  /** Chosen at first. */
  readonly team: string
}

/** The fields of a project beside what it would make, and its start. */
function ProjectForm({ template, team }: ProjectFormProps) {
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
  const reason = session.value === undefined ? null : refusalFor(session.value)
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

interface ProjectFieldsProps {
  readonly template: Template
  readonly form: Form
  /** Namespaces of the team; the first is used when none is typed. */
  readonly namespaces: readonly string[]
  readonly errors: PlacedErrors['at']
}

function ProjectFields({ template, namespaces, ...form }: ProjectFieldsProps) {
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
      <fieldset class="new-group">
        <legend>What it needs</legend>
        <Fields {...form} of={featureFields(template)} />
      </fieldset>
      {parameters.length > 0 && (
        <fieldset class="new-group">
          <legend>{template.parameters?.title ?? 'For this template'}</legend>
          <Fields {...form} of={parameters} />
        </fieldset>
      )}
    </>
  )
}

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

/** Clusters that are asked for their namespaces. */
const CLUSTERS_MAX = 6

/** Namespaces of a team that this person may see. They are suggestions, so that a failure is none. */
function useNamespaces(team: string): readonly string[] {
  const namespaces = useSignal<readonly ClusterNamespace[]>([])
  const rows = useResource('/api/v1/environments', { query: { limit: 1 } })
  useEffect(() => {
    const read = async () => {
      const clusters = await call('get', '/api/v1/clusters')
      if (!clusters.ok) return
      const lists = clusters.value.value.slice(0, CLUSTERS_MAX).map(async ({ id }) => {
        const params = { clusterId: id }
        const list = await call('get', '/api/v1/clusters/{clusterId}/namespaces', { params })
        if (list.ok) namespaces.value = [...namespaces.peek(), ...list.value.value]
      })
      await Promise.all(lists)
    }
    void read()
  }, [])
  const environments = rows.value?.[0]?.environments.map(({ name }) => name) ?? []
  return namespacesOf(team, namespaces.value, environments)
}
