import { HEALTH_EVERY_MS, useResource } from '../../api/resource.ts'
import { entityPath } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { shortName } from '../../ui/names.ts'
import { Card } from '../../ui/parts.tsx'
import { visible } from '../../ui/visible.ts'
import { counted, wordOf } from '../../ui/words.ts'
import { refOf } from '../catalog/applications.ts'
import { isPromoted } from '../entity/entity.ts'
import { type Need, troubleOf } from './troubles.ts'

const NEEDS_MAX = 50
/** The API takes as many in one question. */
const ASKED_MAX = 100
const SHOWN_MAX = 8

/** What the person's services need from other teams: what is broken or deprecated first, by name. */
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
  const rows = needs.value.map((need) => ({ need, trouble: troubleOf(need, health.value ?? []) }))
  const troubled = rows.filter(({ trouble }) => trouble !== undefined)
  const well = rows.length - troubled.length
  return (
    <Card id="needs" title="You need, from others">
      <ul class="rows">
        {troubled.slice(0, SHOWN_MAX).map(({ need, trouble }) => (
          <Row key={entityPath(need.entity)} need={need} trouble={trouble} />
        ))}
      </ul>
      {well > 0 && (
        <p class="loading">
          {troubled.length === 0
            ? `${counted(well, 'entity', 'entities')}, none known to be broken or deprecated.`
            : `${counted(well, 'other')} without known trouble.`}
        </p>
      )}
    </Card>
  )
}

interface RowProps {
  readonly need: Need
  readonly trouble: ReturnType<typeof troubleOf>
}

function Row({ need: { entity, owner, neededBy }, trouble }: RowProps) {
  const { tone, icon } = wordOf(trouble?.health ?? 'deprecated')
  return (
    <li data-tone={trouble?.health === undefined ? 'warn' : tone}>
      <Icon name={icon} />
      <div>
        <p>
          <a class="home-name" href={entityPath(entity)}>
            <bdi>{visible(entity.title ?? entity.name)}</bdi>
          </a>{' '}
          <span class="home-cause">{trouble?.words}</span>
        </p>
        <small>
          {owner !== null && <bdi>{shortName(owner)}</bdi>}
          <span>for {neededBy.map(({ title, name }) => visible(title ?? name)).join(', ')}</span>
        </small>
      </div>
    </li>
  )
}
