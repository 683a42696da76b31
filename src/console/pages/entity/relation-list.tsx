import type { Resource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card, Loading, ProblemNote } from '../../ui/parts.tsx'
import { kindIcon } from '../../ui/words.ts'
import type { Entity } from './entity.ts'
import { kindOf, nameOf, type Relation, type RelationGroup, relationGroups } from './relations.ts'

interface RelationListProps {
  readonly answer: Resource<readonly Relation[]>
  readonly entity: Entity
}

export function RelationList({ answer, entity }: RelationListProps) {
  const { value, problem, reload } = answer
  const groups = relationGroups(value ?? [])
  return (
    <Card id="relations" title="Relations">
      {problem !== undefined && (
        <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
      )}
      {value === undefined && problem === undefined && <Loading>Reading the catalog…</Loading>}
      {value !== undefined && groups.length === 0 && (
        <p class="loading">Nothing names this entity, and it names nothing.</p>
      )}
      {groups.map((group) => (
        <Group key={group.type} group={group} entity={entity} />
      ))}
    </Card>
  )
}

/** More of one type is a list of its own: the catalog shows it. */
const SHOWN_MAX = 12

interface GroupProps {
  readonly group: RelationGroup
  readonly entity: Entity
}

function Group({ group: { type, title, relations }, entity }: GroupProps) {
  const more = relations.length - SHOWN_MAX
  const { name } = entity.metadata
  const filter = type === 'ownerOf' ? { owner: name } : type === 'hasPart' ? { system: name } : null
  return (
    <div class="relations">
      <h3 id={`relations-${type}`}>{title}</h3>
      <ul aria-labelledby={`relations-${type}`}>
        {relations.slice(0, SHOWN_MAX).map((relation) => (
          <li key={relation.ref}>
            <RelationRow relation={relation} />
          </li>
        ))}
        {more > 0 && (
          <li>
            {filter === null ? (
              <span class="muted">and {more} more</span>
            ) : (
              <a href={pathOf('catalog', {}, filter)}>and {more} more in the catalog</a>
            )}
          </li>
        )}
      </ul>
    </div>
  )
}

function RelationRow({ relation }: { readonly relation: Relation }) {
  const { target, ref } = relation
  const kind = kindOf(relation)
  if (target === null) {
    return (
      <p class="relations-broken">
        <Icon name="warn" />
        <span>
          <bdi>{ref}</bdi>: the catalog has no such entity
        </span>
      </p>
    )
  }
  return (
    <a href={pathOf('entity', { kind: target.kind.toLowerCase(), name: target.name })}>
      <Icon name={kindIcon(kind)} />
      <bdi>{nameOf(relation)}</bdi>
      <small>{kind}</small>
    </a>
  )
}
