import { urlOf } from '../../api/call.ts'
import { type PageParameters, pathOf } from '../../paths.ts'
import { HEADING_PREFIX, safeLink } from '../../ui/links.ts'
import { pathFrom } from '../../ui/relative-path.ts'

export const README = 'README.md'
const LENGTH_MAX = 2_000
const PICTURE = /^docs\/.*\.(?:png|jpe?g|gif|webp|avif|svg)$/i

/** A page of the documentation of an entity. */
export interface DocPlace {
  readonly address: PageParameters<'docs'>
  readonly path: string
  /** The file at the git host; `null` until it is known. */
  readonly fileUrl: string | null
}

export const docHref = (address: PageParameters<'docs'>, path: string): string =>
  pathOf('docs', address, { page: path === README ? undefined : path })

/** A link of a page may lead to the web, to a heading, to another page, or to a file of the repository at its git host. */
export function docLink(href: string, { address, path, fileUrl }: DocPlace): string | undefined {
  if (href.length > LENGTH_MAX) return undefined
  if (/^https?:\/\//i.test(href)) return safeLink(href)?.href
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return undefined
  const [file = '', fragment = ''] = href.split('#', 2)
  const hash = fragment === '' ? '' : `#${fragment}`
  const heading = fragment === '' ? '' : `#${HEADING_PREFIX}${fragment}`
  if (file === '') return heading === '' ? undefined : heading
  const target = pathFrom(path, file)
  if (target === undefined) return undefined
  if (target === README || /^docs\/.*\.md$/i.test(target)) return docHref(address, target) + heading
  const end = encoded(path)
  if (fileUrl?.endsWith(end) !== true) return undefined
  return safeLink(fileUrl.slice(0, -end.length) + encoded(target) + hash)?.href
}

/** A picture in the folder `docs`, by the portal; those from elsewhere are not loaded. */
export function docPicture(src: string, { address, path }: DocPlace): string | undefined {
  if (src.length > LENGTH_MAX || /^[a-z][a-z\d+.-]*:/i.test(src)) return undefined
  const target = pathFrom(path, src)
  if (target === undefined || !PICTURE.test(target)) return undefined
  return urlOf('/api/v1/catalog/entities/{kind}/{name}/docs/{path}', {
    params: { ...address, path: target },
  })
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
