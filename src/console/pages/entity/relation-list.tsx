import { useSignal } from '@preact/signals'
import type { Resource } from '../../api/resource.ts'
import { entityPath } from '../../paths.ts'
import { Act } from '../../ui/act.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { kindIcon } from '../../ui/words.ts'
import { kindOf, nameOf, type Relation, type RelationGroup, relationGroups } from './relations.ts'

interface RelationListProps {
  readonly answer: Resource<readonly Relation[]>
  /** Parts and property of the entity have a panel of their own. */
  readonly hasContents: boolean
}

export function RelationList({ answer, hasContents }: RelationListProps) {
  const { value, problem } = answer
  const groups = relationGroups(value ?? [])
  if (hasContents && groups.length === 0 && problem === undefined) return null
  return (
    <Card id="relations" title="Relations">
      <AnswerState answer={answer}>Reading the catalog…</AnswerState>
      {value !== undefined && groups.length === 0 && (
        <p class="none">Nothing names this entity, and it names nothing.</p>
      )}
      {groups.map((group) => (
        <Group key={group.type} group={group} />
      ))}
    </Card>
  )
}

/** A longer list is folded. */
const SHOWN_MAX = 12

function Group({ group: { type, title, relations } }: { readonly group: RelationGroup }) {
  const isWhole = useSignal(false)
  const more = isWhole.value ? 0 : relations.length - SHOWN_MAX
  const id = `relations-${type}`
  return (
    <div class="relations">
      <h3 id={id}>{title}</h3>
      <ul aria-labelledby={id}>
        {relations.slice(0, isWhole.value ? undefined : SHOWN_MAX).map((relation) => (
          <li key={relation.ref}>
            <RelationRow relation={relation} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Act look="quiet" onClick={() => (isWhole.value = true)}>
          Show {more} more
        </Act>
      )}
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
    <a href={entityPath(target)}>
      <Icon name={kindIcon(kind)} />
      <bdi>{nameOf(relation)}</bdi>
      <small>{kind}</small>
    </a>
  )
}
