import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import { entityPath } from '../../paths.ts'
import { EntityLink } from '../../ui/link.tsx'
import { shortName } from '../../ui/names.ts'
import { Card, Row } from '../../ui/card.tsx'
import { visible } from '../../ui/visible.ts'
import { counted, kindIcon, wordOf } from '../../ui/words.ts'
import { refOf } from '../catalog/applications.ts'
import { isPromoted } from '../entity/entity.ts'
import { type Need, type NeedState, stateOf } from './need-state.ts'

const NEEDS_MAX = 50
/** The API takes as many in one question. */
const ASKED_MAX = 100
const SHOWN_MAX = 8

/** Dependencies of the person's services on other teams, by name; broken and deprecated ones first. */
export function Needs() {
  const needs = useResource('/api/v1/catalog/needs', {
    query: { mine: true, limit: NEEDS_MAX },
    topic: 'catalog',
  })
  const asked = (needs.value ?? [])
    .flatMap(({ entity, providers }) => [entity, ...providers])
    .filter(({ kind }) => isPromoted(kind))
    .map(({ kind, name }) => refOf(kind, name))
  const health = useResource(asked.length === 0 ? null : '/api/v1/health', {
    query: { entity: [...new Set(asked)].slice(0, ASKED_MAX) },
    everyMs: HEALTH_EVERY_MS,
  })
  if (needs.value === undefined || needs.value.length === 0) return null
  const rows = needs.value
    .map((need) => ({ need, state: stateOf(need, health.value ?? []) }))
    .toSorted((one, other) => Number(other.state.isTrouble) - Number(one.state.isTrouble))
  const more = rows.length - SHOWN_MAX
  return (
    <Card id="needs" title="You need, from others">
      <ul class="rows">
        {rows.slice(0, SHOWN_MAX).map(({ need, state }) => (
          <Needed key={entityPath(need.entity)} need={need} state={state} />
        ))}
      </ul>
      {more > 0 && <p class="none">and {counted(more, 'other')}</p>}
    </Card>
  )
}

interface NeededProps {
  readonly need: Need
  readonly state: NeedState
}

function Needed({ need: { entity, owner, neededBy }, state }: NeededProps) {
  const { tone, icon, label } =
    state.word === undefined
      ? { tone: 'idle' as const, icon: kindIcon(entity.kind), label: entity.kind }
      : wordOf(state.word)
  return (
    <Row
      icon={icon}
      tone={state.word === 'deprecated' ? 'warn' : tone}
      title={
        <>
          <span class="sr">{label}: </span>
          <EntityLink class="home-name" to={entity} /> <span class="home-cause">{state.words}</span>
        </>
      }
      facts={
        <>
          {owner !== null && <bdi>{shortName(owner)}</bdi>}
          <span>for {neededBy.map(({ title, name }) => visible(title ?? name)).join(', ')}</span>
        </>
      }
    />
  )
}
