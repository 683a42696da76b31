import { link as makeLink, rename } from 'node:fs/promises'
import { errnoOf } from '../../files/errno.ts'

/** How `link` fails on FAT, SMB and FUSE file systems, which have no hard links. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/**
 * Links a complete file to its place, if that is free: a reader of another copy over NFS would lose it by a rename. The
 * writer removes the old name. Without hard links it is a rename.
 */
export async function putInPlace(
  from: string,
  to: string,
  link: typeof makeLink = makeLink,
): Promise<'placed' | 'taken'> {
  try {
    await link(from, to)
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === 'EEXIST') return 'taken'
    if (!NO_LINKS.includes(errno)) throw cause
    await rename(from, to)
  }
  return 'placed'
}
