import { link as makeLink, rename } from 'node:fs/promises'
import { errnoOf } from '../../errno.ts'

/** FAT, SMB and file systems over FUSE have no second names for a file. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/**
 * Gives a complete file its place, if that is free. Never over another: who reads that over NFS would lose it. The name that
 * the file had is its writer's to remove. Where a file can have one name only, a rename has to do.
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
