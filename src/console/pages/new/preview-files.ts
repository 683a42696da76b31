import type { components } from '../../api/schema.gen.ts'

export type PreviewFile = components['schemas']['ScaffoldPreview']['files'][number]

export interface ShownFile {
  readonly path: string
  /** `12 lines`, `1.2 KB`. */
  readonly size: string
  /** `null`: bytes that are no text. */
  readonly text: string | null
}

export interface ShownFiles {
  readonly repository: readonly ShownFile[]
  readonly gitops: readonly ShownFile[]
}

/** The files of both repositories, in the order of their folders. */
export function shownFiles(files: readonly PreviewFile[]): ShownFiles {
  const of = (wanted: PreviewFile['target']) =>
    files
      .filter(({ target }) => target === wanted)
      .map(shown)
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return { repository: of('repo'), gitops: of('gitops') }
}

function shown({ path, content, encoding, executable }: PreviewFile): ShownFile {
  const about = executable ? ', executable' : ''
  if (encoding === 'utf-8') {
    const breaks = content.split('\n').length - 1
    const lines = content.endsWith('\n') || content === '' ? breaks : breaks + 1
    return { path, size: `${lines} ${lines === 1 ? 'line' : 'lines'}${about}`, text: content }
  }
  const padding = /=*$/.exec(content)?.[0].length ?? 0
  const bytes = (content.length / 4) * 3 - padding
  return { path, size: `${bytes.toLocaleString('en')} bytes, not text${about}`, text: null }
}
