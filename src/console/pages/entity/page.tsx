import { type Resource, useResource } from '../../api/resource.ts'
import { Loading, ProblemNote } from '../../ui/parts.tsx'
import type { PageProps } from '../index.ts'
import { About } from './about.tsx'
import { Activity } from './activity.tsx'
import { Definition } from './definition.tsx'
import { Deprecated } from './deprecated.tsx'
import { type Entity, isPromoted } from './entity.ts'
import { EntityHead } from './head.tsx'
import { History } from './history.tsx'
import { Missing } from './missing.tsx'
import { Pipeline } from './pipeline.tsx'
import { RelationList } from './relation-list.tsx'
import { RelationPicture } from './relation-picture.tsx'
import { Source } from './source.tsx'

/** The heading stays the same element while the entity is read: it has the focus. */
export default function EntityPage({ parameters }: PageProps<'entity'>) {
  const answer = useResource('/api/v1/catalog/entities/{kind}/{name}', {
    params: parameters,
    topic: 'catalog',
  })
  const { value, problem, reload } = answer
  return (
    <>
      <EntityHead entity={value} address={parameters} />
      {value === undefined && problem === undefined && <Loading>Reading the catalog…</Loading>}
      {value === undefined && problem !== undefined && (
        <Missing problem={problem} kind={parameters.kind} retry={reload} />
      )}
      {value !== undefined && <Panels entity={value} answer={answer} />}
    </>
  )
}

interface PanelsProps {
  readonly entity: Entity
  readonly answer: Resource<Entity>
}

/** Each panel has its own answer, and its own failure. */
function Panels({ entity, answer }: PanelsProps) {
  const { name, title, annotations } = entity.metadata
  const kind = entity.kind.toLowerCase()
  const params = { kind, name }
  const relations = useResource('/api/v1/catalog/entities/{kind}/{name}/relations', {
    params,
    topic: 'catalog',
  })
  const promotion = useResource(
    isPromoted(kind) ? '/api/v1/catalog/entities/{kind}/{name}/promotion' : null,
    { params, topic: `promotion:${kind}/${name}` },
  )
  const related = relations.value ?? []
  return (
    <>
      {answer.problem !== undefined && (
        <ProblemNote problem={answer.problem} retry={answer.reload} isStale />
      )}
      <Deprecated lifecycle={entity.spec?.lifecycle} annotations={annotations} />
      <div class="two">
        <div class="stack">
          {isPromoted(kind) && <Pipeline answer={promotion} />}
          <Definition spec={entity.spec} />
          <RelationPicture relations={related} name={title ?? name} />
          {promotion.value !== undefined && <History promotion={promotion.value} params={params} />}
          <Activity entity={entity} pullRequests={promotion.value?.pullRequests} />
        </div>
        <aside class="stack" aria-label="About this entity">
          <About entity={entity} relations={related} />
          <RelationList answer={relations} entity={entity} />
          <Source entity={entity} />
        </aside>
      </div>
    </>
  )
}
