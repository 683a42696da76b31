import { entityPath, pathOf } from '../../paths.ts'
import { Card, Fact } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { shortName } from '../../ui/names.ts'
import { kindIcon } from '../../ui/words.ts'
import { type Entity, otherAnnotations, specFacts } from './entity.ts'
import { nameOf, type Relation, relationTo } from './relations.ts'

interface AboutProps {
  readonly entity: Entity
  readonly relations: readonly Relation[]
}

export function About({ entity: { metadata, spec }, relations }: AboutProps) {
  const { name, tags, annotations } = metadata
  const owner = relationTo(relations, 'ownedBy')
  const whole = relationTo(relations, 'partOf')
  const others = otherAnnotations(annotations)
  return (
    <Card id="about" title="About">
      <dl class="facts">
        <Fact label="Name">
          <code>{name}</code>
          <Copy text={name} name="the name" />
        </Fact>
        {owner !== undefined && (
          <Fact label="Owner">
            <RelationLink relation={owner} />
            <a
              class="muted entity-aside"
              href={pathOf('catalog', {}, { owner: shortName(owner.target?.name ?? owner.ref) })}
            >
              all that it owns
            </a>
          </Fact>
        )}
        {whole !== undefined && (
          <Fact label={whole.target?.kind ?? 'Part of'}>
            <RelationLink relation={whole} />
          </Fact>
        )}
        {typeof spec?.type === 'string' && <Fact label="Type">{spec.type}</Fact>}
        {specFacts(spec).map(([label, text]) => (
          <Fact key={label} label={label}>
            <bdi>{text}</bdi>
          </Fact>
        ))}
        {Array.isArray(tags) && tags.length > 0 && (
          <Fact label="Tags">
            {tags.map((tag) => (
              <a key={tag} class="tag" href={pathOf('catalog', {}, { tag })}>
                {tag}
              </a>
            ))}
          </Fact>
        )}
        {others.length > 0 && (
          <Fact label="Annotations">
            <dl class="entity-annotations">
              {others.map(([key, value]) => (
                <div key={key}>
                  <dt>{key}</dt>
                  <dd>
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </Fact>
        )}
      </dl>
    </Card>
  )
}

/** The other entity, or the sentence that it is not there. */
function RelationLink({ relation }: { readonly relation: Relation }) {
  const { target, ref } = relation
  if (target === null) {
    return (
      <span>
        <bdi>{ref}</bdi>: the catalog has no such entity
      </span>
    )
  }
  return (
    <>
      <Icon name={kindIcon(target.kind)} />
      <a href={entityPath(target)}>
        <bdi>{nameOf(relation)}</bdi>
      </a>
    </>
  )
}
