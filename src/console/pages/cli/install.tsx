import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/card.tsx'
import {
  type Asset,
  digestLine,
  installLine,
  loginLine,
  type Machine,
  platformWords,
  type Release,
} from './machine.ts'
import { WORDS } from './words.ts'

interface InstallProps {
  readonly release: Release
  /** For this machine, when the browser tells which it is. */
  readonly file: Asset | undefined
  readonly system: Machine['os']
}

/** The way to the latest client on this machine. The browser downloads it with its session, which nobody copies. */
export const Install = ({ release, file, system }: InstallProps) => (
  <Card
    id="install"
    title={file === undefined ? WORDS.install : `Install it on ${platformWords(file)}`}
    end={<span class="muted">Version {release.version}</span>}
  >
    <div class="cli-install">
      {file === undefined ? (
        <p>{WORDS.below}</p>
      ) : (
        <Downloaded file={file} release={release} system={system} />
      )}
      <p>{WORDS.signIn}</p>
      <Line text={loginLine(release, location.origin)} name="the line that signs in" />
    </div>
  </Card>
)

interface DownloadedProps extends Pick<InstallProps, 'release' | 'system'> {
  readonly file: Asset
}

function Downloaded({ file, release, system }: DownloadedProps) {
  const digest = digestLine(file)
  const line = installLine(file, release)
  return (
    <>
      <a class="button primary" href={file.url} download={file.filename}>
        <Icon name="download" />
        Download {file.filename}
      </a>
      {system === 'windows' || line === null ? (
        <p>{WORDS.folder}</p>
      ) : (
        <>
          <p>{WORDS.place}</p>
          <Line text={line} name="the line that installs it" />
        </>
      )}
      {system === 'windows' && digest !== null && (
        <>
          <p>{WORDS.powershell}</p>
          <Line text={digest} name="the line for PowerShell" />
        </>
      )}
    </>
  )
}

const Line = ({ text, name }: { readonly text: string; readonly name: string }) => (
  <div class="cli-line">
    <code>{text}</code>
    <Copy text={text} name={name} />
  </div>
)
