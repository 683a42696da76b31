import type { DiffFile } from './diff-model.ts'
import { visible } from './visible.ts'

const SIGNS = { add: '+', remove: '-', context: ' ' } as const

const statusOf = ({ oldPath, newPath, hunks }: DiffFile): string => {
  if (oldPath === null) return 'added'
  if (newPath === null) return 'deleted'
  return hunks.length === 0 ? 'unchanged' : 'changed'
}

/** The files of a change, each to be closed. The signs are text, so nothing hangs on the colour. */
export const Diff = ({ files }: { readonly files: readonly DiffFile[] }) => (
  <>
    {files.map((file) => (
      <FileDiff key={file.newPath ?? file.oldPath} file={file} />
    ))}
  </>
)

function FileDiff({ file }: { readonly file: DiffFile }) {
  const path = file.newPath ?? file.oldPath ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const folder = path.slice(0, path.length - name.length)
  return (
    <details class="diff" open={file.hunks.length > 0}>
      <summary>
        <code>
          <bdi>
            <span class="muted">{visible(folder)}</span>
            {visible(name)}
          </bdi>
        </code>
        <span class="muted">{statusOf(file)}</span>
        <span class="diff-counts">
          {file.added > 0 && <b data-tone="ok">+{file.added}</b>}
          {file.removed > 0 && <b data-tone="bad">−{file.removed}</b>}
        </span>
      </summary>
      {/* A region that scrolls has to be in reach of the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={`Changes in ${path}`}>
        {file.hunks.map((hunk, at) => (
          <>
            {at > 0 && <span class="diff-gap">⋯{'\n'}</span>}
            {hunk.map(({ kind, text, endsFile }, index) => (
              <span key={index} class={`diff-${kind}`}>
                {SIGNS[kind]}
                {visible(text)}
                {endsFile && <span class="muted"> (no line break at the end)</span>}
                {'\n'}
              </span>
            ))}
          </>
        ))}
      </pre>
    </details>
  )
}
