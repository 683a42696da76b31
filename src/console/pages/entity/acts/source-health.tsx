import { Icon } from '../../../ui/icon.tsx'
import { Question } from '../../../ui/question.tsx'
import { Age } from '../../../ui/time.tsx'
import type { Source } from './source.ts'
import { WORDS } from './words.ts'

/** The first line of a sheet. */
export const SourceHealth = ({
  of: { environment, word, cause, since, isDown },
}: {
  readonly of: Source
}) => (
  <p class="act-source" data-tone={word.tone} role={isDown ? 'alert' : undefined}>
    <Icon name={word.icon} />
    <span>
      <b>
        {environment}: {word.label.toLowerCase()}
      </b>
      {since !== null && (
        <>
          {' for '}
          <Age at={since} />
        </>
      )}
      {cause !== null && (
        <>
          . <bdi>{cause}</bdi>
        </>
      )}
    </span>
  </p>
)

interface AskFirstProps {
  readonly source: Source
  /** Label of the button that does it. */
  readonly act: string
  readonly go: () => undefined
  readonly stay: () => void
}

/** What is broken is not passed on unnoticed. */
export const AskFirst = ({ source, act, go, stay }: AskFirstProps) => (
  <Question
    title={`${source.environment} is ${source.word.label.toLowerCase()}`}
    act={`${act} anyway`}
    look="danger"
    cancel="Go back"
    onAct={go}
    onClose={stay}
  >
    <SourceHealth of={source} />
    <p>{WORDS.sameImage}</p>
  </Question>
)
