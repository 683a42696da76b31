import { useEffect, useRef } from 'preact/hooks'
import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import type { PageParameters, PageProps } from '../../paths.ts'
import { query } from '../../router.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { decoded } from '../../ui/relative-path.ts'
import { docHref, docLink, docPicture, README } from './doc-links.ts'
import { EntityHead } from './head.tsx'
import { useEntity } from './use-entity.ts'

const DOCS = '/api/v1/catalog/entities/{kind}/{name}/docs'
type DocPage = AnswerOf<'get', typeof DOCS>[number]

/** The README and the folder `docs` of the repository of an entity. The query says which page. */
export default function DocsPage({ parameters: address }: PageProps<'docs'>) {
  const answer = useEntity(address)
  const list = useResource(DOCS, { params: address })
  const pages = list.value
  const path = query.value.get('page') ?? pages?.[0]?.path
  return (
    <>
      <EntityHead answer={answer} address={address} />
      <AnswerState answer={list}>Reading the repository…</AnswerState>
      {pages?.length === 0 && (
        <Empty title="No documentation yet">
          <p>
            Add a <code>{README}</code>, or Markdown files in <code>docs</code>, to the repository.
          </p>
        </Empty>
      )}
      {pages !== undefined && path !== undefined && (
        <div class="docs">
          <PageList pages={pages} address={address} path={path} />
          <Article address={address} path={path} />
        </div>
      )}
    </>
  )
}

interface PageListProps {
  readonly pages: readonly DocPage[]
  readonly address: PageParameters<'docs'>
  readonly path: string
}

const PageList = ({ pages, address, path }: PageListProps) => (
  <nav class="docs-list" aria-label="Pages">
    {byFolder(pages).map(([folder, inside]) => (
      <>
        {folder !== '' && <h2 key={folder}>{folder}</h2>}
        <ul key={`pages of ${folder}`}>
          {inside.map((page) => (
            <li key={page.path}>
              <a
                href={docHref(address, page.path)}
                title={page.path}
                aria-current={page.path === path ? 'page' : undefined}
              >
                <bdi>{page.title}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </nav>
)

/** Pages by their folders below `docs`; those of the root and of `docs` itself come first. */
function byFolder(pages: readonly DocPage[]): readonly (readonly [string, readonly DocPage[]])[] {
  const folders = Map.groupBy(pages, ({ path }) => path.split('/').slice(1, -1).join(' / '))
  return [...folders].toSorted(([one], [other]) => Number(one !== '') - Number(other !== ''))
}

interface ArticleProps {
  readonly address: PageParameters<'docs'>
  readonly path: string
}

/** One page. When somebody goes on to another, it takes the focus. */
function Article({ address, path }: ArticleProps) {
  const element = useRef<HTMLElement>(null)
  const focused = useRef(path)
  const answer = useResource(`${DOCS}/{path}`, { params: { ...address, path } })
  const { value, headers, problem, isPending } = answer
  const isHere = value !== undefined && !isPending
  useEffect(() => {
    if (!isHere) return
    if (focused.current !== path) element.current?.focus({ preventScroll: true })
    focused.current = path
    const heading = decoded(location.hash.slice(1))
    if (heading !== '') document.getElementById(heading)?.scrollIntoView()
  }, [isHere, path])
  const fileUrl = headers?.get('x-catalog-file-url') ?? null
  const place = { address, path, fileUrl }
  return (
    <article ref={element} class="card docs-page" tabIndex={-1} aria-label={path}>
      <AnswerState answer={answer}>Reading the page…</AnswerState>
      {value !== undefined && problem === undefined && (
        <>
          <Markdown
            nodes={value.nodes}
            link={(href) => docLink(href, place)}
            picture={(src) => docPicture(src, place)}
          />
          <footer>
            {value.truncated && 'The rest of this page is too long to show. '}
            {fileUrl !== null && <OutsideLink url={fileUrl}>{path} in git</OutsideLink>}
          </footer>
        </>
      )}
    </article>
  )
}
