import { createServer, type ServerResponse } from 'node:http'
import { openAssetOverHttp } from '#src/lib/adapters/hosts/hosted/api/asset.ts'
import type { GitFailure, Release, ReleaseAsset, Releases } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { sha256Of } from './assets.ts'
import { listenOn } from './listen-on.ts'

export interface HostedFile {
  readonly filename: string
  readonly bytes: Uint8Array
  /** Stated by the host; by default the truth. */
  readonly sha256?: string | null
}

export interface ReleaseHost extends AsyncDisposable {
  readonly releases: Releases
  /** Names of the requested files, in order. */
  readonly opened: string[]
  /** Answer to requests for the list, while it is set. */
  failWith: GitFailure | undefined
  publish(tag: string, files: readonly HostedFile[], more?: Partial<Release>): void
  /** Answers requests for a file by `respond`; without it by the file again. */
  answer(filename: string, respond?: Respond): void
}

export type Respond = (response: ServerResponse) => void

/** A git host with releases alone, behind a real socket. */
export async function startReleaseHost(): Promise<ReleaseHost> {
  const listed: Release[] = []
  const files = new Map<string, HostedFile>()
  const answers = new Map<string, Respond>()
  const opened: string[] = []
  const server = createServer((request, response) => {
    const file = files.get(request.url?.slice(1) ?? '')
    if (file === undefined) return void response.writeHead(404).end()
    opened.push(file.filename)
    const respond = answers.get(file.filename)
    if (respond === undefined) response.end(file.bytes)
    else respond(response)
  })
  const url = `http://127.0.0.1:${await listenOn(server, '127.0.0.1')}/`

  const host: ReleaseHost = {
    opened,
    failWith: undefined,
    releases: {
      list: () => Promise.resolve(host.failWith === undefined ? ok(listed) : err(host.failWith)),
      openAsset: (_, { id }, signal) =>
        openAssetOverHttp({ url: new URL(id, url), headers: {}, authority: null }, signal),
    },
    publish(tag, published, more = {}) {
      const assets = published.map((file): ReleaseAsset => {
        const id = String(files.size + 1)
        files.set(id, file)
        const { filename, bytes, sha256 = sha256Of(bytes) } = file
        return { id, filename, sizeBytes: bytes.length, sha256 }
      })
      listed.push({
        tag,
        name: tag,
        notes: '',
        draft: false,
        prerelease: false,
        publishedAt: Date.UTC(2026, 10, 1 + listed.length),
        assets,
        ...more,
      })
    },
    answer(filename, respond) {
      if (respond === undefined) answers.delete(filename)
      else answers.set(filename, respond)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}
