import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Release } from '#src/lib/ports/git-host.ts'
import { bytesOf, sha256Of } from './assets.ts'
import { openPortal, ORIGIN, type TestRequest } from './portal.ts'
import { type HostedFile, startReleaseHost } from './release-host.ts'

export const LINUX = '/api/v1/cli/download/linux/amd64'
export const RELEASES = '/api/v1/cli/releases'
/** File name of downloads from the portal. */
export const FILENAME = 'portico-linux-amd64'
/** Longer than a list of releases stays fresh. */
const LATER_MS = 61_000

type Options = NonNullable<Parameters<typeof openPortal>[0]>

/** A portal in front of a release host. */
export async function openShelf(options: Options = {}) {
  const host = await startReleaseHost()
  const portal = await openPortal({ releases: host.releases, ...options })
  const get = (path = LINUX, init: TestRequest = {}) => portal.request(path, { as: 'dev', ...init })
  const below = join(portal.directory, 'cli-assets')
  let releases = 0

  return {
    host,
    portal,
    get,
    cacheDirectory: below,

    /** Publishes a release, a higher version each time; returns the URL of its file for Linux. */
    publish(files: readonly HostedFile[], more: Partial<Release> = {}): string {
      releases += 1
      const version = `1.${releases}.0`
      host.publish(`portico-v${version}`, files, more)
      host.opened.length = 0
      portal.clock.advance(LATER_MS)
      return `${LINUX}?version=${version}`
    },

    /** Outcome of a download: the digest of its bytes, or the status and code of the problem. */
    async download(path: string): Promise<string> {
      const response = await get(path)
      if (response.ok) return sha256Of(await response.bytes())
      const { code } = (await response.json()) as { code: string }
      return `${response.status} ${code}`
    },

    /** Names of the files in the cache. */
    async kept(): Promise<readonly string[]> {
      const entries = await readdir(below, { recursive: true, withFileTypes: true }).catch(() => [])
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    },

    /** The portal behind a socket, and the headers of a request to it. */
    async serve() {
      const { fetch } = portal.portal.app
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch })
      const cookie = `portal_session=${await portal.signIn('dev')}`
      return {
        origin: `http://127.0.0.1:${server.port}`,
        port: server.port ?? 0,
        headers: { host: new URL(ORIGIN).host, cookie },
        [Symbol.asyncDispose]: () => server.stop(true),
      }
    },

    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

let programs = 0

/** A unique program and its digest. */
export function newProgram(length = 300_000, filename = FILENAME) {
  programs += 1
  const bytes = bytesOf(length, programs)
  return { filename, bytes, digest: sha256Of(bytes) }
}

export async function problemOf(response: Response) {
  const { code, detail } = (await response.json()) as { code: string; detail?: string }
  return { status: response.status, code, ...(detail !== undefined && { detail }) }
}

export const digestOf = async (response: Response) => sha256Of(await response.bytes())
