import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { Card, Row } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { safeLink } from '../../ui/links.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import {
  type Asset,
  digestLine,
  fileFor,
  forMachineFirst,
  installLine,
  loginLine,
  type Machine,
  platformWords,
  readMachine,
  type Release,
  sizeWords,
} from './machine.ts'

const UNKNOWN: Machine = { os: null, arch: null }

export default function Cli() {
  const machine = useSignal(UNKNOWN)
  const list = useResource('/api/v1/cli/releases', { query: { notes: 'tree' } })
  useEffect(() => {
    void readMachine().then((read) => (machine.value = read))
  }, [])
  const releases = list.value
  const latest = releases?.find((release) => release.latest)
  return (
    <>
      <PageHead title="CLI" />
      <AnswerState answer={list} />
      {releases?.length === 0 && (
        <Empty title="No release yet">
          <p>The platform team has not published the client yet.</p>
        </Empty>
      )}
      <div class="stack">
        {latest !== undefined && (
          <Install
            release={latest}
            file={fileFor(latest.assets, machine.value)}
            system={machine.value.os}
          />
        )}
        {releases !== undefined &&
          latestFirst(releases).map((release) => (
            <Files key={release.tag} release={release} machine={machine.value} />
          ))}
      </div>
    </>
  )
}

const latestFirst = (releases: readonly Release[]): readonly Release[] =>
  releases.toSorted((one, other) => Number(other.latest) - Number(one.latest))

const Files = ({ release, machine }: { readonly release: Release; readonly machine: Machine }) => (
  <Card
    id={release.tag}
    title={visible(release.name || release.tag)}
    end={
      <span class="muted">
        {release.latest && 'Latest · '}
        {release.prerelease && 'Pre-release · '}
        {release.publishedAt !== null && <Time at={release.publishedAt} />}
      </span>
    }
  >
    {release.notes !== '' && (
      <div class="cli-notes">
        <Markdown
          nodes={release.notesTree?.nodes ?? []}
          link={(href) => safeLink(href)?.href}
          picture={() => undefined}
        />
      </div>
    )}
    <ul class="rows">
      {forMachineFirst(release.assets, machine).map((asset) => (
        <File key={asset.filename} asset={asset} version={release.version} />
      ))}
    </ul>
  </Card>
)

const File = ({ asset, version }: { readonly asset: Asset; readonly version: string }) => (
  <Row
    icon="terminal"
    title={platformWords(asset)}
    facts={
      <>
        <span>{sizeWords(asset.sizeBytes)}</span>
        {asset.sha256 === null ? (
          <span>SHA-256 is known after the first download</span>
        ) : (
          <span>
            SHA-256 <code>{asset.sha256}</code>
            <Copy text={asset.sha256} name={`the SHA-256 of ${asset.filename}`} />
          </span>
        )}
      </>
    }
    end={
      <a class="button" href={asset.url} download={asset.filename}>
        <Icon name="download" />
        Download
        <span class="sr">
          {' '}
          {version} for {platformWords(asset)}
        </span>
      </a>
    }
  />
)

interface InstallProps {
  readonly release: Release
  /** For this machine, when the browser tells which it is. */
  readonly file: Asset | undefined
  readonly system: Machine['os']
}

/** The way to the latest client on this machine. The browser downloads it with its session, which nobody copies. */
const Install = ({ release, file, system }: InstallProps) => (
  <Card
    id="install"
    title={file === undefined ? 'Install it' : `Install it on ${platformWords(file)}`}
    end={<span class="muted">Version {release.version}</span>}
  >
    <div class="cli-install">
      {file === undefined ? (
        <p>Download the file for your machine below and put it on your PATH.</p>
      ) : (
        <Downloaded file={file} release={release} system={system} />
      )}
      <p>Sign in. Your browser opens and asks you to approve; no password is stored.</p>
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
        <p>Put it in a folder on your PATH.</p>
      ) : (
        <>
          <p>Put it on your PATH:</p>
          <Line text={line} name="the line that installs it" />
        </>
      )}
      {system === 'windows' && digest !== null && (
        <>
          <p>Check it in PowerShell. True means it is the published file:</p>
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
