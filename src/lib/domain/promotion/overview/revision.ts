import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import type { AppRow } from './app-row.ts'
import { versionOf, type WaitingMove } from './waiting-move.ts'

const REVISION_LENGTH = 32

/** Changes whenever anything changes that is answered of the rows or the moves. */
export async function revisionOf(
  rows: readonly AppRow[],
  moves: readonly WaitingMove[],
): Promise<string> {
  const digest = new Bun.CryptoHasher('sha256')
  const pause = createTimeSlice()
  await visitInSlices(rows, pause, ({ version }) => void digest.update(`${version}\n`))
  await visitInSlices(moves, pause, (move) => void digest.update(`${versionOf(move)}\n`))
  return digest.digest('hex').slice(0, REVISION_LENGTH)
}
