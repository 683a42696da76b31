import { isAnswered, type Resource, useResource } from '../../api/resource.ts'
import type { PageProps } from '../../paths.ts'
import { query } from '../../router.ts'
import { AnswerState } from '../../ui/parts.tsx'
import { StaleCatalog } from '../../ui/stale-catalog.tsx'
import { WhenNear } from '../../ui/when-near.tsx'
import { About } from './about.tsx'
import { Activity } from './activity.tsx'
import { Acts } from './acts/acts.tsx'
import { OutcomeLine } from './acts/outcome-line.tsx'
import { Compare } from './compare.tsx'
import { Contents } from './contents.tsx'
import { Dependencies } from './dependencies.tsx'
import { Deprecated } from './deprecated.tsx'
import { contentsFilterOf, type Entity, isMadeOfRelations, isPromoted } from './entity.ts'
import { EntityHead } from './head.tsx'
import { History } from './history.tsx'
import { InClusters } from './in-cluster.tsx'
import { Missing } from './missing.tsx'
import { RelationList } from './relation-list.tsx'
import { WITHOUT_CONTENTS } from './relations.ts'
import { Source } from './source.tsx'
import type { Promotion } from './stage.ts'
import type { Version } from './train-rows.ts'
import { Train } from './train.tsx'
import { useEntity, useVersions } from './use-entity.ts'

/** The heading stays the same element while the entity is read: it has the focus. */
export default function EntityPage({ parameters }: PageProps<'entity'>) {
  const params = { kind: parameters.kind.toLowerCase(), name: parameters.name.toLowerCase() }
  const answer = useEntity(params)
  const { value, problem } = answer
  const isMissing = problem?.code === 'entity_not_found'
  const isAsked = isPromoted(params.kind) && !isMissing
  const promotion = useResource(
    isAsked ? '/api/v1/catalog/entities/{kind}/{name}/promotion' : null,
    { params, topic: `promotion:${params.kind}/${params.name}` },
  )
  const versions = useVersions(isAsked ? params : null, promotion.value?.revision)
  return (
    <>
      <EntityHead
        answer={answer}
        address={params}
        promotion={promotion.value}
        versions={versions.value}
      />
      <OutcomeLine />
      {isMissing ? (
        <Missing problem={problem} kind={params.kind} />
      ) : (
        <AnswerState answer={answer}>Reading the catalog…</AnswerState>
      )}
      {value !== undefined && !isMissing && (
        <Panels
          entity={value}
          answer={answer}
          promotion={promotion}
          versions={versions}
          params={params}
        />
      )}
      <Acts {...params} state={promotion.value} />
    </>
  )
}

/** The largest page. */
const RELATIONS_MAX = 1_000

interface PanelsProps {
  readonly entity: Entity
  readonly answer: Resource<Entity>
  readonly promotion: Resource<Promotion>
  readonly versions: Resource<readonly Version[]>
  readonly params: { readonly kind: string; readonly name: string }
}

/** Each panel has its own answer, and its own failure. */
function Panels({ entity, answer, promotion, versions, params }: PanelsProps) {
  const { name, title } = entity.metadata
  const contents = contentsFilterOf(params.kind, params.name)
  const relations = useResource('/api/v1/catalog/entities/{kind}/{name}/relations', {
    params,
    query: {
      hops: 2,
      limit: RELATIONS_MAX,
      type: contents === null ? undefined : WITHOUT_CONTENTS,
    },
    topic: 'catalog',
  })
  const related = relations.value ?? []
  // Waits until the parts above have their height: this one would jump.
  const state = isAnswered(versions) ? promotion.value : undefined
  const isList = isMadeOfRelations(params.kind)
  const list = <RelationList answer={relations} hasContents={contents !== null} />
  return (
    <>
      <StaleCatalog answer={answer} />
      <Deprecated entity={entity} />
      <div class="two">
        <div class="stack">
          {isPromoted(params.kind) && (
            <Train answer={promotion} versions={versions} params={params} />
          )}
          {state !== undefined && <Compare promotion={state} params={params} />}
          {state !== undefined && <InClusters promotion={state} />}
          {isList && list}
          {contents !== null && <Contents filter={contents} />}
          <Dependencies
            relations={related}
            self={`${params.kind}/${params.name}`}
            name={title ?? name}
          />
          {(state !== undefined || promotion.problem !== undefined) && (
            <WhenNear isWanted={query.value.has('history')}>
              {state !== undefined && <History promotion={state} params={params} />}
              <Activity entity={entity} pullRequests={state?.pullRequests} />
            </WhenNear>
          )}
        </div>
        <aside class="stack" aria-label="About this entity">
          {isAnswered(relations) && (
            <>
              <About entity={entity} relations={related} />
              {!isList && list}
              <Source entity={entity} />
            </>
          )}
        </aside>
      </div>
    </>
  )
}
