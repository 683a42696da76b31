import { useRef } from 'preact/hooks'
import type { Resource } from '../../api/resource.ts'
import { type PageParameters, pathOf } from '../../paths.ts'
import { page } from '../../router.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Chip } from '../../ui/card.tsx'
import { kindIcon } from '../../ui/words.ts'
import { ActButton } from './act-button.tsx'
import { type EntityAct, placeActs } from './acts/acts-of.ts'
import { ConfirmButton } from './acts/confirm.tsx'
import { definitionOf, type Entity } from './entity.ts'
import type { Promotion } from './stage.ts'
import { nextRelease, type Version } from './train-rows.ts'

interface EntityHeadProps {
  /** Without a value until it is read. */
  readonly answer: Resource<Entity>
  readonly address: PageParameters<'entity'>
  /** Absent of what is never promoted, as are its versions. */
  readonly promotion?: Promotion | undefined
  readonly versions?: readonly Version[] | undefined
}

export function EntityHead({ answer, address, promotion, versions }: EntityHeadProps) {
  const { value: entity, headers } = answer
  const { title, description } = entity?.metadata ?? {}
  const lifecycle = entity?.spec?.lifecycle
  const repository = headers?.get('x-repository-url') ?? null
  const fileUrl = headers?.get('x-catalog-file-url') ?? null
  const crumbs = [{ label: 'Catalog', href: pathOf('catalog', {}) }]
  if (entity !== undefined) {
    const { kind } = entity
    crumbs.push({ label: kind, href: pathOf('catalog', {}, { kind: kind.toLowerCase() }) })
  }
  const { next = [], inMenu = [] } = promotion === undefined ? {} : placeActs(promotion)
  const release =
    promotion === undefined || versions === undefined || promotion.next !== null
      ? undefined
      : nextRelease(promotion, versions)
  const waiting = promotion?.pullRequests.find(
    ({ environment }) => environment !== null && environment === promotion.next?.environment,
  )
  return (
    <div class="entity-head">
      <PageHead
        title={title ?? entity?.metadata.name ?? address.name}
        crumbs={crumbs}
        beside={typeof lifecycle === 'string' && <Chip of={lifecycle} />}
      >
        {fileUrl !== null && (
          <a
            class="button quiet"
            href={fileUrl}
            title={headers?.get('x-catalog-file') ?? undefined}
          >
            <Icon name="link" />
            File in git
          </a>
        )}
        <Copy
          text={`${location.origin}${pathOf('entity', address)}`}
          name="the address of this page"
        />
        {inMenu.length > 0 && <Menu acts={inMenu} />}
        {next.map((act, index) => {
          const isPrimary = index === next.length - 1 && waiting === undefined
          return act.do === 'confirm' && promotion !== undefined ? (
            <ConfirmButton
              key={act.do}
              {...address}
              state={promotion}
              act={act}
              isPrimary={isPrimary}
            />
          ) : (
            <ActButton key={act.do} act={act} isPrimary={isPrimary} />
          )
        })}
        {release !== undefined && <ActButton {...release} isPrimary />}
        {waiting !== undefined && (
          <OutsideLink url={waiting.url} class="button primary">
            Open #{waiting.number}
          </OutsideLink>
        )}
      </PageHead>
      <span class="entity-glyph">
        <Icon name={kindIcon(entity?.kind ?? address.kind)} />
      </span>
      {typeof description === 'string' && (
        <p class="muted">
          <bdi>{description}</bdi>
        </p>
      )}
      {entity !== undefined && <Links of={entity} repository={repository} />}
      {entity !== undefined && (
        <Tabs entity={entity} address={address} hasDocs={repository !== null} />
      )}
    </div>
  )
}

/** Annotations of this name have the place to ask for help. */
const ON_CALL = /(^|\/)on-call$/

interface TabsProps {
  readonly entity: Entity
  readonly address: PageParameters<'entity'>
  readonly hasDocs: boolean
}

/** The pages of an entity that has several. */
function Tabs({ entity, address, hasDocs }: TabsProps) {
  const tabs = [
    { page: 'entity', label: 'Overview' },
    ...(hasDocs ? [{ page: 'docs', label: 'Documentation' } as const] : []),
    ...(definitionOf(entity) === undefined
      ? []
      : [{ page: 'definition', label: 'Definition' } as const]),
  ] as const
  if (tabs.length === 1) return null
  return (
    <div class="tabs">
      <nav aria-label={`Pages of ${entity.metadata.name}`}>
        {tabs.map(({ page: name, label }) => (
          <a
            key={name}
            href={pathOf(name, address)}
            aria-current={page.value?.page === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    </div>
  )
}

interface LinksProps {
  readonly of: Entity
  readonly repository: string | null
}

/** Links to the repository of an entity, to the pages that its file names, and to its on-call rota. */
function Links({ of: { metadata }, repository }: LinksProps) {
  const links = Array.isArray(metadata.links) ? metadata.links : []
  const onCall = Object.entries(metadata.annotations ?? {}).find(([name]) =>
    ON_CALL.test(name),
  )?.[1]
  if (links.length === 0 && typeof onCall !== 'string' && repository === null) return null
  return (
    <p class="entity-links">
      {repository !== null && (
        <OutsideLink url={repository} class="outside">
          <Icon name="branch" />
          Repository
        </OutsideLink>
      )}
      {links.map(({ url, title }) => (
        <OutsideLink key={url} url={url} class="outside" title={url}>
          <Icon name="link" />
          <bdi>{title ?? url}</bdi>
        </OutsideLink>
      ))}
      {typeof onCall === 'string' && (
        <span>
          On call: <bdi>{onCall}</bdi>
        </span>
      )}
    </p>
  )
}

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
