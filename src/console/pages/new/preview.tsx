import type { AnswerOf, BodyOf } from '../../api/call.ts'
import type { Preview } from '../../api/submission.ts'
import { counted } from '../../ui/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import { isOfFields } from './mistakes.ts'
import { type ShownFile, shownFiles } from './preview-files.ts'

type Answered = AnswerOf<'post', '/api/v1/scaffold'>
type ScaffoldPreview = Extract<Answered, { files: unknown }>

export const isPreview = (answer: Answered): answer is ScaffoldPreview => 'files' in answer

export interface PreviewPanelProps {
  readonly preview: Preview<BodyOf<'post', '/api/v1/scaffold'>, ScaffoldPreview>
  /** There is a name to ask for. */
  readonly isNamed: boolean
  readonly refusal: string | null
}

/** The exact files of both repositories, before anything is made. */
export const PreviewPanel = (props: PreviewPanelProps) => (
  <section class="new-preview" aria-label="Preview">
    <Content {...props} />
  </section>
)

function Content({ preview, isNamed, refusal }: PreviewPanelProps) {
  const { value, of, problem, isPending } = preview
  if (refusal !== null) return <Empty title="No preview">{refusal}</Empty>
  if (!isNamed) {
    return (
      <Empty title="Every file, before it is made">
        <p>Name the project to see what its repository and its pull request would have in them.</p>
      </Empty>
    )
  }
  const files = value === undefined ? undefined : shownFiles(value.files)
  const failed = value?.checks.filter(({ ok }) => !ok) ?? []
  return (
    <>
      {problem !== undefined && !isOfFields(problem) && (
        <ProblemNote problem={problem} retry={preview.retry} isStale={value !== undefined} />
      )}
      {problem !== undefined && isOfFields(problem) && (
        <p class="notice" data-tone="warn">
          The form has a mistake.{files !== undefined && ' These are the files from before.'}
        </p>
      )}
      {problem === undefined &&
        failed.map(({ check, message }) => (
          <p class="notice" data-tone="warn" key={check}>
            {message.charAt(0).toUpperCase() + message.slice(1)}.
          </p>
        ))}
      {files === undefined && isPending && <Loading>Rendering the template…</Loading>}
      {files !== undefined && of !== undefined && (
        <>
          <Files title={`Repository ${of.appName}`} files={files.repository} />
          <Files title={`Pull request for ${of.team}/${of.appName}`} files={files.gitops} />
        </>
      )}
    </>
  )
}

interface FilesProps {
  readonly title: string
  readonly files: readonly ShownFile[]
}

const Files = ({ title, files }: FilesProps) => (
  <div class="card">
    <header>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      <span class="muted">{counted(files.length, 'file')}</span>
    </header>
    {files.map(({ path, size, text }) => (
      <details class="new-file" key={path}>
        <summary>
          <Icon name="chevron" />
          <code>{visible(path)}</code>
          <span class="muted">{size}</span>
        </summary>
        {text !== null && (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
          <pre tabIndex={0} role="group" aria-label={path}>
            <code>{text.split('\n').map(visible).join('\n')}</code>
          </pre>
        )}
      </details>
    ))}
  </div>
)
