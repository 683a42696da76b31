import { useRef } from 'preact/hooks'
import type { Resource } from '../../api/resource.ts'
import { type PageParameters, pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Chip } from '../../ui/parts.tsx'
import { kindIcon } from '../../ui/words.ts'
import { ActButton } from './act-button.tsx'
import { type EntityAct, placeActs } from './acts/acts-of.ts'
import type { Entity } from './entity.ts'
import type { Promotion } from './stage.ts'

interface EntityHeadProps {
  /** Without a value until it is read. */
  readonly answer: Resource<Entity>
  readonly address: PageParameters<'entity'>
  readonly promotion: Promotion | undefined
}

export function EntityHead({ answer, address, promotion }: EntityHeadProps) {
  const { value: entity, headers } = answer
  const { title, description } = entity?.metadata ?? {}
  const lifecycle = entity?.spec?.lifecycle
  const crumbs = [{ label: 'Catalog', href: pathOf('catalog', {}) }]
  if (entity !== undefined) {
    const { kind } = entity
    crumbs.push({ label: kind, href: pathOf('catalog', {}, { kind: kind.toLowerCase() }) })
  }
  const acts = promotion === undefined ? [] : placeActs(promotion).inMenu
  return (
    <div class="entity-head">
      <PageHead
        title={title ?? entity?.metadata.name ?? address.name}
        crumbs={crumbs}
        beside={typeof lifecycle === 'string' && <Chip of={lifecycle} />}
      >
        <SourceFile
          file={headers?.get('x-catalog-file') ?? null}
          url={headers?.get('x-catalog-file-url') ?? null}
        />
        <Copy
          text={`${location.origin}${pathOf('entity', address)}`}
          name="the address of this page"
        />
        {acts.length > 0 && <Menu acts={acts} />}
      </PageHead>
      <span class="entity-glyph">
        <Icon name={kindIcon(entity?.kind ?? address.kind)} />
      </span>
      {typeof description === 'string' && (
        <p class="muted">
          <bdi>{description}</bdi>
        </p>
      )}
    </div>
  )
}

interface SourceFileProps {
  /** Path and line. */
  readonly file: string | null
  readonly url: string | null
}

const SourceFile = ({ file, url }: SourceFileProps) =>
  url !== null && (
    <a class="button quiet" href={url} title={file ?? undefined}>
      <Icon name="link" />
      File in git
    </a>
  )

const MENU = 'entity-menu'

/** Acts on the whole entity. */
function Menu({ acts }: { readonly acts: readonly EntityAct[] }) {
  const element = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        type="button"
        class="button quiet icon"
        popovertarget={MENU}
        aria-label="More actions"
      >
        <Icon name="dots" />
      </button>
      {/* The focus goes back to the button before the dialog of the act opens, and returns to it afterwards. */}
      <div
        ref={element}
        id={MENU}
        popover="auto"
        class="entity-menu"
        onClickCapture={() => element.current?.hidePopover()}
      >
        {acts.map((act) => (
          <ActButton key={act.do} act={act} />
        ))}
      </div>
    </>
  )
}
