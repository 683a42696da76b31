const PENDING = 'Being set up by Portico: '
const HEX_CHARACTERS = 32
const COMPLETE = /#repository-([0-9a-f]{32})$/
/** GitHub's limit; Gitea's is higher. */
const DESCRIPTION_MAX_CHARACTERS = 350

/** Whose creation a repository is of. `foreign`: of nobody that had the same marker. */
export type Creation = 'pending' | 'complete' | 'foreign'

/**
 * The mark of one creation on its repository: the description while it is being made, afterwards the homepage. Both are
 * visible to people, so that they hold a digest of the marker instead of the marker.
 */
export interface CreationMark {
  readonly pendingDescription: string
  readonly homepage: string
  creationOf(repository: RepositoryMarks): Creation
}

export interface RepositoryMarks {
  readonly description: string
  readonly homepage: string
}

export function createMark(marker: string, publicOrigin: string): CreationMark {
  const hex = new Bun.CryptoHasher('sha256').update(marker).digest('hex').slice(0, HEX_CHARACTERS)
  const pendingDescription = `${PENDING}${hex}`
  return {
    pendingDescription,
    homepage: `${publicOrigin}/#repository-${hex}`,
    creationOf({ description, homepage }) {
      if (description === pendingDescription) return 'pending'
      // Without the origin: the portal may have moved since.
      return COMPLETE.exec(homepage)?.[1] === hex ? 'complete' : 'foreign'
    },
  }
}

/** `true` while a repository is being made, by anybody. It does not exist for readers. */
export const isPending = ({ description }: Pick<RepositoryMarks, 'description'>): boolean =>
  description.startsWith(PENDING)

/** A description as hosts accept it: without control characters, bounded, and never one that hides the repository. */
export function cleanDescription(description: string): string {
  const clean = description.replaceAll(/\p{Cc}+/gu, ' ').trim()
  const visible = isPending({ description: clean }) ? clean.slice(PENDING.length) : clean
  return Array.from(visible).slice(0, DESCRIPTION_MAX_CHARACTERS).join('')
}
