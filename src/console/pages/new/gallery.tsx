import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { Card, Row } from '../../ui/card.tsx'
import { shortName } from '../../ui/names.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import { refusalFor, type Template } from './draft.ts'
import type { Run } from './steps.ts'

/** `/new`: the templates, and the projects that were started of late. */
export default function Gallery() {
  const list = useResource('/api/v1/scaffold/templates')
  const refusal = session.value === undefined ? null : refusalFor(session.value)
  return (
    <>
      <PageHead title="New project" />
      <p class="new-lead">
        A template makes a repository with a pipeline and an image, an entry in the secret store,
        and a pull request that puts the project into the catalog.
      </p>
      {refusal !== null && (
        <p class="notice" data-tone="warn">
          You can look, but not start a project. {refusal}
        </p>
      )}
      <AnswerState answer={list}>Reading the templates…</AnswerState>
      {list.value !== undefined && <Templates templates={list.value} />}
      <RecentRuns />
    </>
  )
}

function Templates({ templates }: { readonly templates: readonly Template[] }) {
  if (templates.length === 0) {
    return (
      <Empty title="There is no template">
        <p>
          The platform team puts templates into a repository. One with a mistake is left out, and is
          among the <a href={pathOf('problems', {})}>problems</a>.
        </p>
      </Empty>
    )
  }
  return (
    <ul class="new-gallery" aria-label="Templates">
      {templates.map((template) => (
        <TemplateCard key={template.id} template={template} />
      ))}
    </ul>
  )
}

function TemplateCard({ template }: { readonly template: Template }) {
  const { id, title, description, type, tags, owner, version, deprecated } = template
  return (
    <li class="card new-card">
      <h2>
        <a href={pathOf('newProject', { template: id })}>
          <bdi>{title}</bdi>
        </a>
      </h2>
      <p>
        <bdi>{description}</bdi>
      </p>
      <p class="new-tags">
        <span class="tag">{type}</span>
        {tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
      </p>
      <p class="new-origin">
        {deprecated && <strong>Deprecated · </strong>}
        {shortName(owner)} · {version}
      </p>
    </li>
  )
}

const SHOWN = 10

/** The last projects of this person; of everybody, for the platform team. */
function RecentRuns() {
  const list = useResource('/api/v1/scaffold/runs', { query: { limit: SHOWN } })
  const isPlatform = session.value?.platform === true
  return (
    <Card id="recent" title={isPlatform ? 'Recent projects' : 'Your recent projects'}>
      <AnswerState answer={list}>Reading the projects…</AnswerState>
      {list.value?.length === 0 && <p class="none">Nothing yet. Choose a template above.</p>}
      <ul class="rows">
        {list.value?.map((run) => (
          <RunRow key={run.id} run={run} isPlatform={isPlatform} />
        ))}
      </ul>
    </Card>
  )
}

function RunRow({ run, isPlatform }: { readonly run: Run; readonly isPlatform: boolean }) {
  const { id, status, appName, team, templateId, createdBy, createdAt } = run
  const { tone, icon, label } = wordOf(status)
  return (
    <Row
      icon={icon}
      tone={tone}
      title={
        <a href={pathOf('run', { id })}>
          <bdi>{appName}</bdi>
        </a>
      }
      facts={
        <>
          <span>{label}</span>
          <span>
            {templateId} for {team}
          </span>
          {isPlatform && <bdi>by {createdBy.name}</bdi>}
        </>
      }
      beside={<Time at={createdAt} />}
    />
  )
}
