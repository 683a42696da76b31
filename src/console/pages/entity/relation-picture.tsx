import { entityPath } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/card.tsx'
import { kindIcon } from '../../ui/words.ts'
import {
  LINE_WIDTH,
  linesOf,
  type Picture,
  pictureOf,
  ROW_HEIGHT,
  type Side as SideOfPicture,
} from './picture.ts'
import { kindOf, nameOf, type Relation } from './relations.ts'

interface RelationPictureProps {
  readonly relations: readonly Relation[]
  readonly name: string
}

/**
 * Entities that need this one, and those that it needs. Screen readers and keyboards have the list of relations, which says the same in an
 * order that can be followed.
 */
export function RelationPicture({ relations, name }: RelationPictureProps) {
  const picture = pictureOf(relations)
  if (picture === null) return null
  return (
    <Card id="dependencies" title="Dependencies">
      {/* A region that scrolls takes the focus, so that the arrow keys move it. */}
      <div
        class="picture-box"
        role="group"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label="Picture of the dependencies; the list of relations says the same"
      >
        <div class="picture" aria-hidden="true">
          <Side side={picture.neededBy} empty="Nothing needs it" />
          <Lines picture={picture} side={picture.neededBy} />
          <div class="picture-self">
            <bdi>{name}</bdi>
          </div>
          <Lines picture={picture} side={picture.needs} isMirrored />
          <Side side={picture.needs} empty="It needs nothing" />
        </div>
      </div>
    </Card>
  )
}

interface SideProps {
  readonly side: SideOfPicture
  readonly empty: string
}

const Side = ({ side: { relations, more }, empty }: SideProps) => (
  <ul class={relations.length === 0 ? 'picture-none' : undefined}>
    {relations.map((relation) => (
      <li key={`${relation.type} ${relation.ref}`}>
        <Node relation={relation} />
      </li>
    ))}
    {more > 0 && <li class="muted">and {more} more</li>}
    {relations.length === 0 && <li class="muted">{empty}</li>}
  </ul>
)

function Node({ relation }: { readonly relation: Relation }) {
  const { target } = relation
  const inside = (
    <>
      <Icon name={target === null ? 'warn' : kindIcon(kindOf(relation))} />
      <bdi>{nameOf(relation)}</bdi>
    </>
  )
  if (target === null) return <span class="picture-node picture-broken">{inside}</span>
  const { kind, name } = target
  return (
    <a class="picture-node" tabIndex={-1} href={entityPath({ kind, name })}>
      {inside}
    </a>
  )
}

interface LinesProps {
  readonly picture: Picture
  readonly side: SideOfPicture
  readonly isMirrored?: boolean
}

const Lines = ({ picture, side, isMirrored = false }: LinesProps) => (
  <svg
    class={isMirrored ? 'picture-lines mirrored' : 'picture-lines'}
    viewBox={`0 0 ${LINE_WIDTH} ${picture.rows * ROW_HEIGHT}`}
    width={LINE_WIDTH}
    height={picture.rows * ROW_HEIGHT}
  >
    {linesOf(picture, side).map((line) => (
      <path key={line} d={line} />
    ))}
  </svg>
)
