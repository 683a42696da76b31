import { useSignal } from '@preact/signals'
import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import { entityPath } from '../../paths.ts'
import { Act } from '../../ui/act.tsx'
import { Card } from '../../ui/card.tsx'
import type { ApplicationHealth } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { useNear } from '../../ui/when-near.tsx'
import { kindIcon, wordOf } from '../../ui/words.ts'
import { isPromoted } from './entity.ts'
import {
  dependenciesOf,
  keyOf,
  kindOf,
  nameOf,
  type NamedRelation,
  type Relation,
  worstKnown,
} from './relations.ts'

/** A longer side is folded. */
const SHOWN_MAX = 12
/** The API takes as many in one question. */
const ASKED_MAX = 100

interface DependenciesProps {
  readonly relations: readonly Relation[]
  /** `component/shop` */
  readonly self: string
  readonly name: string
}

export function Dependencies({ relations, ...props }: DependenciesProps) {
  const sides = dependenciesOf(relations)
  return sides === null ? null : <Graph {...sides} {...props} />
}

interface GraphProps extends Omit<DependenciesProps, 'relations'> {
  readonly neededBy: readonly Relation[]
  readonly needs: readonly Relation[]
}

/** Two hops each way. An arrow leads from what depends to what it depends on; the health is asked for once the card is seen. */
function Graph({ neededBy, needs, self, name }: GraphProps) {
  const { isNear, place } = useNear('0px')
  const asked = [...neededBy, ...needs]
    .flatMap((relation) => [relation, ...(relation.further ?? [])])
    .filter(({ target }) => target !== null && isPromoted(target.kind))
    .map(keyOf)
  const health = useResource(isNear && asked.length > 0 ? '/api/v1/health' : null, {
    query: { entity: [...new Set(asked)].slice(0, ASKED_MAX) },
    everyMs: HEALTH_EVERY_MS,
  })
  const node = { self, health: health.value ?? [] }
  return (
    <Card id="dependencies" title="Dependencies">
      <div class="graph" ref={place}>
        <Side {...node} title="Depends on it" relations={neededBy} of={name} isBefore />
        <p class="graph-self">
          <bdi>{name}</bdi>
        </p>
        <Side {...node} title="It depends on" relations={needs} of={name} isBefore={false} />
      </div>
    </Card>
  )
}

interface SideProps {
  readonly title: string
  readonly relations: readonly Relation[]
  /** The name of what the first arrows join. */
  readonly of: string
  /** The arrows lead to this entity, not from it. */
  readonly isBefore: boolean
  readonly self: string
  readonly health: readonly ApplicationHealth[]
}

function Side({ title, relations, ...props }: SideProps) {
  const isWhole = useSignal(false)
  const shown = relations.slice(0, isWhole.value ? undefined : SHOWN_MAX)
  const id = props.isBefore ? 'graph-before' : 'graph-after'
  return (
    <div class={id}>
      <h3 id={id}>{title}</h3>
      {relations.length === 0 ? (
        <p class="muted">Nothing</p>
      ) : (
        <ul aria-labelledby={id}>
          {shown.map((relation) => (
            <li key={keyOf(relation)}>
              <Node {...props} relation={relation} />
              <Further {...props} relation={relation} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < relations.length && (
        <Act look="quiet" onClick={() => (isWhole.value = true)}>
          All {relations.length}
        </Act>
      )}
    </div>
  )
}

type NodeProps<Of> = Omit<SideProps, 'title' | 'relations'> & { readonly relation: Of }

/** The second hop. What the answer leaves out is on the page of the first. */
function Further({ relation, ...props }: NodeProps<Relation>) {
  const { target, further = [], furtherCount = 0 } = relation
  if (target === null || further.length === 0) return null
  const more = furtherCount - further.length
  return (
    <ul>
      {further.map((each) => (
        <li key={keyOf(each)}>
          <Node {...props} relation={each} of={nameOf(relation)} />
        </li>
      ))}
      {more > 0 && (
        <li>
          <Arrow />
          <a class="graph-node" href={entityPath(target)}>
            {more} more
          </a>
        </li>
      )}
    </ul>
  )
}

const Arrow = () => (
  <svg class="graph-arrow" viewBox="0 0 20 10" aria-hidden="true">
    <path d="M0 5h18M14 1.5 18.5 5 14 8.5" />
  </svg>
)

function Node({ relation, of, isBefore, self, health }: NodeProps<NamedRelation>) {
  const { target, ref } = relation
  const name = nameOf(relation)
  const mark = target === null ? undefined : worstKnown(health, relation)
  const words = mark && `${wordOf(mark.health).label} in ${mark.environment}`
  const inside = (
    <>
      <Icon name={target === null ? 'warn' : kindIcon(kindOf(relation))} />
      <span class="sr">{!isBefore && `${of} depends on `}</span>
      <bdi>{name}</bdi>
      <span class="sr">{isBefore && ` depends on ${of}`}</span>
      {target !== null && isPromoted(target.kind) && (
        <span class="graph-mark" data-tone={mark && wordOf(mark.health).tone}>
          {mark !== undefined && <Icon name={wordOf(mark.health).icon} />}
          {words !== undefined && <span class="sr">{words}</span>}
        </span>
      )}
    </>
  )
  const box = (() => {
    if (target === null) {
      return (
        <span class="graph-node graph-broken" title={`The catalog has no ${ref}`}>
          {inside}
          <span class="sr">which the catalog does not have</span>
        </span>
      )
    }
    if (keyOf(relation) === self) {
      return (
        <span class="graph-node graph-cycle" title="It depends on itself">
          {inside}
          <small>cycle</small>
        </span>
      )
    }
    return (
      <a class="graph-node" href={entityPath(target)} title={words && `${name}: ${words}`}>
        {inside}
      </a>
    )
  })()
  return (
    <>
      <Arrow />
      {box}
    </>
  )
}
