import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { AnswerOf } from '../../api/call.ts'
import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import { entityPath } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { shortName } from '../../ui/names.ts'
import { ProblemNote, Status } from '../../ui/parts.tsx'
import { kindIcon } from '../../ui/words.ts'
import type { ApplicationHealth } from '../../ui/health.ts'
import { type Application, environmentsOf, refOf } from './applications.ts'
import { Deployed } from './deployed-cell.tsx'
import { type Filter, orderedFilter } from './filters.ts'
import { useSettled } from './settled.ts'

/** Names of the environments, in the order of promotion. The usual ones until an answer has them: nothing jumps then. */
export const columns = signal<readonly string[]>(['dev', 'staging', 'production'])

export type Entity = AnswerOf<'get', '/api/v1/catalog/entities'>[number]

/** Rows of a part of the list; the next part is asked for when its end comes near. */
export const PART_ROWS = 40
const NEAR = '600px'

const FIELDS = [
  'kind',
  'metadata.name',
  'metadata.title',
  'metadata.description',
  'spec.type',
  'spec.lifecycle',
  'spec.owner',
  'spec.system',
]

export const ENTITIES = '/api/v1/catalog/entities'

export const partQuery = (filter: Filter, offset: number) => ({
  ...orderedFilter(filter),
  limit: PART_ROWS,
  offset: offset === 0 ? undefined : offset,
  fields: FIELDS,
})

export interface RowsProps {
  readonly entities: readonly Entity[]
  /** Called when the end comes near; absent when there is nothing more. */
  readonly onEnd?: (() => void) | undefined
}

/** A part of the list, with what is deployed of it. */
export function Rows({ entities, onEnd }: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { applications, health } = useApplications(entities)
  const draw = useDrawn()
  useEffect(() => {
    const last = body.current?.lastElementChild
    if (onEnd === undefined || last === null || last === undefined) return undefined
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) onEnd()
      },
      { rootMargin: NEAR },
    )
    observer.observe(last)
    return () => observer.disconnect()
  }, [entities, onEnd === undefined])
  return (
    <tbody ref={body}>
      {entities.map((entity) => {
        const ref = refOf(entity.kind, entity.metadata.name)
        return draw(ref, entity, applications.get(ref), health.get(ref))
      })}
    </tbody>
  )
}

/** Images and health of the rows, by environment. */
function useApplications(entities: readonly Entity[]) {
  const refs = entities.map(({ kind, metadata }) => refOf(kind, metadata.name))
  const entity = useSettled(refs, refs.join())
  const { value } = useResource(entity.length === 0 ? null : '/api/v1/environments', {
    query: { entity, limit: PART_ROWS },
    topic: 'promotions',
  })
  const isDeployed = value !== undefined && value.length > 0
  const health = useResource(isDeployed ? '/api/v1/health' : null, {
    query: { entity },
    everyMs: HEALTH_EVERY_MS,
  })
  useEffect(() => {
    if (isDeployed) columns.value = environmentsOf(value)
  }, [value])
  const refOfRow = ({ entity: { kind, name } }: Pick<Application, 'entity'>) => refOf(kind, name)
  return {
    applications: new Map(value?.map((row) => [refOfRow(row), row])),
    health:
      health.value === undefined
        ? new Map<string, undefined>()
        : Map.groupBy(health.value, refOfRow),
  }
}

/** Rows that say the same as before are the same ones, and cost nothing while somebody types. */
function useDrawn() {
  const drawn = useRef(new Map<string, { readonly text: string; readonly row: VNode }>())
  return (
    ref: string,
    entity: Entity,
    application?: Application,
    health?: readonly ApplicationHealth[],
  ): VNode => {
    const text = JSON.stringify([entity, application, health, columns.value])
    const before = drawn.current.get(ref)
    if (before?.text === text) return before.row
    const row = <Row key={ref} entity={entity} application={application} health={health} />
    drawn.current.set(ref, { text, row })
    return row
  }
}

interface RowProps {
  readonly entity: Entity
  readonly application: Application | undefined
  readonly health: readonly ApplicationHealth[] | undefined
}

function Row({ entity: { kind, metadata, spec }, application, health }: RowProps) {
  return (
    <tr>
      <th scope="row" class="catalog-name">
        <Icon name={kindIcon(kind)} />
        <a href={entityPath({ kind, name: metadata.name })} title={metadata.title ?? metadata.name}>
          <bdi>{metadata.title ?? metadata.name}</bdi>
        </a>
        <span class="sr"> {kind}</span>
        <small>{metadata.description}</small>
      </th>
      <td class="catalog-type">{spec?.type}</td>
      <td class="catalog-system">{spec?.system}</td>
      <td class="catalog-owner">{shortName(spec?.owner ?? '')}</td>
      <td class="catalog-lifecycle">
        {typeof spec?.lifecycle === 'string' && <Status of={spec.lifecycle} />}
      </td>
      {columns.value.map((name) => (
        <td key={name} class="catalog-env">
          {application !== undefined && (
            <Deployed application={application} name={name} health={health} />
          )}
        </td>
      ))}
    </tr>
  )
}

export interface PartProps extends Omit<RowsProps, 'entities'> {
  readonly filter: Filter
  readonly offset: number
}

/** A part after the first one. */
export function Part({ filter, offset, ...rows }: PartProps) {
  const list = useResource(ENTITIES, { query: partQuery(filter, offset), topic: 'catalog' })
  if (list.value !== undefined) return <Rows {...rows} entities={list.value} />
  return (
    <tbody>
      <tr>
        <td colSpan={COLUMNS + columns.value.length}>
          {list.problem === undefined ? (
            'Loading more…'
          ) : (
            <ProblemNote problem={list.problem} retry={list.reload} />
          )}
        </td>
      </tr>
    </tbody>
  )
}

/** Columns before those of the environments. */
const COLUMNS = 5
