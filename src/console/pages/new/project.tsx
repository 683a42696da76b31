import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { PATHS } from '../../paths.ts'
import { shortName } from '../../ui/names.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import type { PageProps } from '../page-props.ts'
import type { Template } from './draft.ts'
import { ProjectForm } from './project-form.tsx'

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

const About = ({
  template: { description, owner, version, deprecated },
}: {
  readonly template: Template
}) => (
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
