import { Fragment } from 'preact'
import { type EntityAct, reasonsOf } from './acts/acts-of.ts'
import { ActButton } from './act-button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { Chip } from '../../ui/parts.tsx'
import { isStuck, pullWords } from '../../ui/pull-words.ts'
import { Time } from '../../ui/time.tsx'
import {
  type Change,
  type Image,
  type PullRequest as OpenPullRequest,
  referenceOf,
  type Setting,
  type Stage,
  versionOf,
} from './stage.ts'
import { Running } from './running.tsx'

interface StageCardProps {
  readonly stage: Stage
  /** Name of the application. */
  readonly app: string
  readonly acts: readonly EntityAct[]
}

export function StageCard({ stage, app, acts }: StageCardProps) {
  const { environment, title, form, image, settings, changes, pullRequest, note } = stage
  const { deployedAt, deployedBy, secretsPath } = environment
  return (
    <li data-form={form}>
      <div class="pipe-top">
        <h3>{title}</h3>
        <Chip of={environment.state} />
      </div>
      {image !== null && <Version image={image} isProposed={form === 'review'} />}
      {note !== null && <p class="muted">{note}</p>}
      {pullRequest !== undefined && <PullRequest of={pullRequest} />}
      {changes.length > 0 && <Changes changes={changes} />}
      {form !== 'ahead' && <Settings settings={settings} secretsPath={secretsPath} title={title} />}
      {deployedAt !== null && (
        <p class="muted">
          Changed <Time at={deployedAt} />
          {deployedBy !== null && (
            <>
              {' '}
              by <bdi>{deployedBy.name}</bdi>
            </>
          )}
        </p>
      )}
      <Running environment={environment} app={app} />
      {acts.length > 0 && (
        <div class="pipe-acts">
          {acts.map((act) => (
            <ActButton key={act.do} act={act} />
          ))}
          {reasonsOf(acts).map((reason) => (
            <p key={reason} class="muted">
              {reason}
            </p>
          ))}
        </div>
      )}
    </li>
  )
}

interface VersionProps {
  readonly image: Image
  readonly isProposed: boolean
}

const Version = ({ image, isProposed }: VersionProps) => (
  <p class="pipe-version">
    {isProposed && <span class="muted">Proposed</span>} <span>{versionOf(image)}</span>{' '}
    <Copy text={referenceOf(image)} name={`the image ${versionOf(image)}`} />
  </p>
)

/** An open pull request: who asked for it, and what it waits for. */
export function PullRequest({ of }: { readonly of: OpenPullRequest }) {
  const { number, url, createdBy, createdAt } = of
  return (
    <p class="pipe-pull" data-tone={isStuck(of) ? 'bad' : 'warn'}>
      <Icon name="branch" />
      <span>
        <OutsideLink url={url}>Pull request #{number}</OutsideLink> by <bdi>{createdBy.name}</bdi>,{' '}
        <Time at={createdAt} />
        {pullWords(of).map((words) => `, ${words}`)}
      </span>
    </p>
  )
}

/** The merge of the open pull request would change this here. */
const Changes = ({ changes }: { readonly changes: readonly Change[] }) => (
  <dl class="pairs pipe-changes" aria-label="Proposed changes">
    {changes.map(({ label, before, after }) => (
      <div key={label}>
        <dt>Proposed {label.toLowerCase()}</dt>
        <dd>
          {before !== null && (
            <>
              <del>{before}</del>{' '}
            </>
          )}
          {after === null ? 'not set any more' : <ins>{after}</ins>}
        </dd>
      </div>
    ))}
  </dl>
)

interface SettingsProps {
  readonly settings: readonly Setting[]
  readonly secretsPath: string
  readonly title: string
}

const Settings = ({ settings, secretsPath, title }: SettingsProps) => (
  <dl class="pairs">
    {settings.map(({ label, value, form }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>
          {form === 'host' ? <OutsideLink url={`https://${value}`}>{value}</OutsideLink> : value}
        </dd>
      </div>
    ))}
    <div>
      <dt>Secrets</dt>
      <dd>
        <Path text={secretsPath} />
        <Copy text={secretsPath} name={`the path of the secrets of ${title}`} />
      </dd>
    </div>
  </dl>
)

/** A long path is broken after a slash. */
const Path = ({ text }: { readonly text: string }) => (
  <code>
    {text.split(/(?<=\/)/).map((part) => (
      <Fragment key={part}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </code>
)
