import type { ObjectId, RepositoryPath } from '../../names.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { LoadFailure } from './load-failure.ts'
import type { ParsedFile } from './parse-file.ts'
import type { CatalogParser, ParsingTime } from './parser.ts'
import { fileTooLarge } from './problem.ts'
import { weightOf } from './weight.ts'

/** Size of a portion: large enough to be cheap, small enough that git reads and the parser parses at the same time. */
const PORTION_FILES = 256
const PORTION_BYTES = 512 * 1024
/** Bounds the unparsed files in memory: git is faster than the parser. */
const PORTIONS_PENDING_MAX = 16

/** The cost of one load. It ends when either is used up. */
export interface LoadBudget {
  readonly time: ParsingTime
  /** Memory of the parsed files. */
  leftBytes: number
}

export const isUsedUp = ({ time, leftBytes }: LoadBudget): boolean =>
  time.leftMs <= 0 || leftBytes <= 0

/** Parses in portions while git delivers, and adds the files to `parsed`, as many as the budget allows. Answers the unreadable ones. */
export async function readAndParse(
  files: ReturnType<GitHost['readFiles']>,
  parser: Pick<CatalogParser, 'parse'>,
  budget: LoadBudget,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<Result<ReadonlySet<RepositoryPath>, LoadFailure>> {
  const unreadable = new Set<RepositoryPath>()
  const pending: Promise<void>[] = []
  let portion: UnparsedFile[] = []
  let bytes = 0
  const parsePending = async () => {
    if (pending.length >= PORTIONS_PENDING_MAX) await pending.shift()
    const parsing = parsePortion(portion, parser, budget, parsed)
    // When the host fails first, nobody awaits the portion any more.
    parsing.catch(() => undefined)
    pending.push(parsing)
    portion = []
    bytes = 0
  }
  try {
    for await (const file of files) {
      if (isUsedUp(budget)) break
      if (!file.ok) {
        if (file.error.kind !== 'git_file_unreadable') return file
        unreadable.add(file.error.path)
        continue
      }
      const { blob, bytes: content } = file.value
      if (content === null) {
        parsed.set(blob, oversized)
        continue
      }
      portion.push({ blob, content })
      bytes += content.length
      if (portion.length >= PORTION_FILES || bytes >= PORTION_BYTES) await parsePending()
    }
    if (portion.length > 0) await parsePending()
    await Promise.all(pending)
    return ok(unreadable)
  } catch (error) {
    return err({ kind: 'catalog_parser_failed', reason: String(error) })
  }
}

interface UnparsedFile {
  readonly blob: ObjectId
  readonly content: Uint8Array
}

async function parsePortion(
  portion: readonly UnparsedFile[],
  parser: Pick<CatalogParser, 'parse'>,
  budget: LoadBudget,
  parsed: Map<ObjectId, ParsedFile>,
): Promise<void> {
  if (isUsedUp(budget)) return
  const files = await parser.parse(
    portion.map(({ content }) => content),
    budget.time,
  )
  for (const [index, { blob }] of portion.entries()) {
    const file = files[index]
    if (file === undefined) continue
    parsed.set(blob, file)
    budget.leftBytes -= weightOf(file)
  }
}

const oversized: ParsedFile = { entities: [], findings: [fileTooLarge] }
