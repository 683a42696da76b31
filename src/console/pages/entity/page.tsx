import { type Resource, useResource } from '../../api/resource.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { StaleCatalog } from '../../ui/stale-catalog.tsx'
import type { PageProps } from '../page-props.ts'
import { About } from './about.tsx'
import { Activity } from './activity.tsx'
import { Acts } from './acts/acts.tsx'
import { Contents } from './contents.tsx'
import { Definition } from './definition.tsx'
import { Deprecated } from './deprecated.tsx'
import { contentsFilterOf, type Entity, isMadeOfRelations, isPromoted } from './entity.ts'
import { EntityHead } from './head.tsx'
import { History } from './history.tsx'
import { Missing } from './missing.tsx'
import { Pipeline } from './pipeline.tsx'
import { InClusters } from './in-cluster.tsx'
import { RelationList } from './relation-list.tsx'
import { RelationPicture } from './relation-picture.tsx'
import { Source } from './source.tsx'
import type { Promotion } from './stage.ts'

/** The heading stays the same element while the entity is read: it has the focus. */
export default function EntityPage({ parameters }: PageProps<'entity'>) {
  const params = { kind: parameters.kind.toLowerCase(), name: parameters.name.toLowerCase() }
  const answer = useResource('/api/v1/catalog/entities/{kind}/{name}', { params, topic: 'catalog' })
  const { value, problem } = answer
  const isMissing = problem?.code === 'entity_not_found'
  const isAsked = isPromoted(params.kind) && !isMissing
  const promotion = useResource(
    isAsked ? '/api/v1/catalog/entities/{kind}/{name}/promotion' : null,
    { params, topic: `promotion:${params.kind}/${params.name}` },
  )
  return (
    <>
      <EntityHead answer={answer} address={params} promotion={promotion.value} />
      {isMissing ? (
        <Missing problem={problem} kind={params.kind} />
      ) : (
        <AnswerState answer={answer}>Reading the catalog…</AnswerState>
      )}
      {value !== undefined && !isMissing && (
        <Panels entity={value} answer={answer} promotion={promotion} params={params} />
      )}
      <Acts {...params} state={promotion.value} reload={promotion.reload} />
    </>
  )
}

interface PanelsProps {
  readonly entity: Entity
  readonly answer: Resource<Entity>
  readonly promotion: Resource<Promotion>
  readonly params: { readonly kind: string; readonly name: string }
}

/** Each panel has its own answer, and its own failure. */
function Panels({ entity, answer, promotion, params }: PanelsProps) {
  const { name, title, annotations } = entity.metadata
  const relations = useResource('/api/v1/catalog/entities/{kind}/{name}/relations', {
    params,
    topic: 'catalog',
  })
  const related = relations.value ?? []
  const state = promotion.value
  const contents = contentsFilterOf(params.kind, params.name)
  const isList = isMadeOfRelations(params.kind)
  const list = <RelationList answer={relations} hasContents={contents !== null} />
  return (
    <>
      <StaleCatalog answer={answer} />
      <Deprecated lifecycle={entity.spec?.lifecycle} annotations={annotations} />
      <div class="two">
        <div class="stack">
          {isPromoted(params.kind) && <Pipeline answer={promotion} />}
          {state !== undefined && <InClusters promotion={state} />}
          {isList && list}
          {contents !== null && <Contents filter={contents} />}
          <Definition spec={entity.spec} />
          <RelationPicture relations={related} name={title ?? name} />
          {state !== undefined && <History promotion={state} params={params} />}
          {isPromoted(params.kind) && (
            <Activity entity={entity} pullRequests={state?.pullRequests} />
          )}
        </div>
        <aside class="stack" aria-label="About this entity">
          <About entity={entity} relations={related} />
          {!isList && list}
          <Source entity={entity} />
        </aside>
      </div>
    </>
  )
}
