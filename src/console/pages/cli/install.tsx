import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/parts.tsx'
import {
  type Asset,
  digestLine,
  installLine,
  type Machine,
  platformWords,
  type Release,
} from './machine.ts'

interface InstallProps {
  readonly release: Release
  /** For this machine, when the browser tells which it is. */
  readonly file: Asset | undefined
  readonly system: Machine['os']
}

/** The way to the latest client on this machine. */
export const Install = ({ release, file, system }: InstallProps) => (
  <Card
    id="install"
    title={file === undefined ? 'Install it' : `Install it on ${platformWords(file)}`}
    end={<span class="muted">Version {release.version}</span>}
  >
    <div class="cli-install">{system === 'windows' ? <OnWindows file={file} /> : <InShell />}</div>
  </Card>
)

const InShell = () => {
  const line = installLine(location.origin)
  return (
    <>
      <p>
        Run this line in bash or zsh. It finds the file for the machine, checks its SHA-256 and puts
        it into <code>~/.local/bin</code>.
      </p>
      <Line text={line} name="the installer’s line" />
      <p class="muted">
        It waits for your session: paste the value of the cookie <code>portal_session</code>, which
        the browser’s developer tools show under Storage or Application, and press Enter. The{' '}
        <a href="/api/v1/cli/install.sh" target="_blank" rel="noopener noreferrer">
          script
        </a>{' '}
        can be read before.
      </p>
    </>
  )
}

function OnWindows({ file }: Pick<InstallProps, 'file'>) {
  const line = file === undefined ? null : digestLine(file)
  return (
    <>
      <p>Download the file for Windows and put it into a folder of your Path.</p>
      {file !== undefined && (
        <a class="button primary" href={file.url} download={file.filename}>
          <Icon name="download" />
          Download {file.filename}
        </a>
      )}
      {line !== null && (
        <>
          <p>PowerShell says True when the file is the one that was published:</p>
          <Line text={line} name="the line for PowerShell" />
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
