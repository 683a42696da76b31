import { safeLink } from '../../../console/ui/links.ts'
import { RepositoryPath } from '../../../lib/names.ts'
import { fileLink } from '../links.ts'
import type { Place } from '../place.ts'

/** The place of a document: its relative links lead to the files beside it. `null`: it is in no repository. */
export type Home = Pick<Place, 'id' | 'ref' | 'path'> | null

const LENGTH_MAX = 2_000
/** Ids of headings, apart from those of the page. */
export const HEADING_PREFIX = 'readme-'

export interface Target {
  readonly href: string
  readonly isElsewhere: boolean
}

/** A link of a document may lead to the web, to a heading, or to a file of the same repository. `undefined`: nowhere. */
export function targetOf(href: unknown, home: Home): Target | undefined {
  if (typeof href !== 'string' || href.length > LENGTH_MAX) return undefined
  if (/^https?:\/\//i.test(href)) return webTarget(href)
  if (/^#[\w-]+$/.test(href)) {
    return { href: `#${HEADING_PREFIX}${href.slice(1)}`, isElsewhere: false }
  }
  return home === null ? undefined : fileTarget(href, home)
}

function webTarget(text: string): Target | undefined {
  const link = safeLink(text)
  return link === null ? undefined : { href: link.href, isElsewhere: true }
}

function fileTarget(href: string, { id, ref, path }: NonNullable<Home>): Target | undefined {
  const [file = '', fragment = ''] = href.split('#', 2)
  const joined = joinPaths(file.startsWith('/') ? '' : folderOf(path), decoded(file))
  const target = RepositoryPath.parse(joined)
  if (target === undefined) return undefined
  const anchor = /^L[0-9]+$/.test(fragment) ? `#${fragment}` : ''
  return { href: `${fileLink(id, ref, target)}${anchor}`, isElsewhere: false }
}

const folderOf = (path: string | null): string => path?.split('/').slice(0, -1).join('/') ?? ''

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `a/b` and `../c` → `a/c`. `undefined`: the path leaves the repository. */
function joinPaths(folder: string, relative: string): string | undefined {
  const segments: string[] = []
  for (const segment of `${folder}/${relative}`.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}
