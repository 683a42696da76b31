import { HEADING_PREFIX, safeLink } from '../../../console/ui/links.ts'
import { pathFrom } from '../../../console/ui/relative-path.ts'
import { RepositoryPath } from '../../../lib/names.ts'
import { fileLink } from '../links.ts'
import type { Place } from '../place.ts'

/** The place of a document: its relative links lead to the files beside it. `null`: it is in no repository. */
export type Home = Pick<Place, 'id' | 'ref' | 'path'> | null

const LENGTH_MAX = 2_000

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
  const target = RepositoryPath.parse(pathFrom(path ?? '', file))
  if (target === undefined) return undefined
  const anchor = /^L[0-9]+$/.test(fragment) ? `#${fragment}` : ''
  return { href: `${fileLink(id, ref, target)}${anchor}`, isElsewhere: false }
}
