import { createTwoFilesPatch } from 'diff'
import type { RepositoryPath } from '../../names.ts'
import type { WrittenFile } from '../gitops/propose.ts'

export interface FilePreview {
  readonly path: RepositoryPath
  readonly status: 'added' | 'modified' | 'unchanged'
  /** Unified, against the default branch. */
  readonly diff: string
  readonly content: string
}

const CONTEXT_LINES = 3

export const previewOf = (
  files: readonly WrittenFile[],
  texts: ReadonlyMap<RepositoryPath, string>,
): readonly FilePreview[] =>
  files.map(({ path, bytes }) => {
    const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const before = texts.get(path)
    const status = before === undefined ? 'added' : before === content ? 'unchanged' : 'modified'
    const from = before === undefined ? '/dev/null' : `a/${path}`
    const diff = createTwoFilesPatch(from, `b/${path}`, before ?? '', content, '', '', {
      context: CONTEXT_LINES,
    })
    return { path, status, diff, content }
  })
