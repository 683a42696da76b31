import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type ConnectionFinding, fails, works } from '../ports/connection-finding.ts'
import { errnoOf, ifMissing } from './errno.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
}

/**
 * Whether files can be made in a folder, or the folder itself if it does not exist yet. Makes and removes an empty folder, because
 * the mode says nothing about read-only file systems. Does not make a missing folder: the user who checks may not be the one who
 * serves.
 */
export async function checkWritableFolder(
  path: string,
  contents: string,
): Promise<ConnectionFinding> {
  const wanted = resolve(path)
  try {
    const existing = await nearestExisting(wanted)
    await rmdir(await mkdtemp(join(existing, '.portico-check-')))
    return works(
      existing === wanted
        ? `${contents} can be written to ${wanted}.`
        : `${contents} go to ${wanted}, which the first start makes.`,
    )
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === undefined) throw error
    return fails(`${contents} cannot be written to ${wanted}: ${REASONS[errno] ?? errno}.`)
  }
}

async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(ifMissing(undefined))
  if (found !== undefined || dirname(path) === path) return path
  return nearestExisting(dirname(path))
}
