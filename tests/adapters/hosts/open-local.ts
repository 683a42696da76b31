import { publishRelease, withReleases } from '#src/demo/releases.ts'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import type { RepositoryId } from '#src/lib/names.ts'
import {
  createLocalGitHost,
  type LocalGitHost,
  type RefChange,
} from '#src/lib/adapters/hosts/forge/index.ts'
import type { PushRule, Visitor } from '#src/lib/ports/forge.ts'
import {
  AUTHOR,
  branch,
  MAIN,
  repositoryId,
  SEED,
  TEAM,
  value,
  write,
  type GitHostFixture,
} from '#tests/contracts/git-host.ts'
import { sharedFolder } from '#tests/support/shared-folder.ts'

export const PUBLIC_URL = 'http://portico.test'
/** Path of the fixture's repository below the URL of `serve`. */
export const REPOSITORY = 'acme/gitops.git'

export interface LocalFixture extends GitHostFixture {
  readonly host: LocalGitHost
  /** Folder of the test, with the repositories in `git`. */
  readonly scratch: string
  readonly bare: string
  readonly reported: (readonly [RepositoryId, readonly RefChange[]])[]
}

const repository = repositoryId('acme', 'gitops')

/** The repository of every fixture, made once: a copy takes a tenth of the time. */
const template = lazily(async () => {
  const folder = await mkdtemp(join(sharedFolder(), 'template-'))
  const host = createLocalGitHost({ directory: folder, publicUrl: PUBLIC_URL })
  const first = {
    description: 'd',
    team: TEAM,
    marker: 'seed',
    files: SEED,
    message: 'Seed',
    author: AUTHOR,
  }
  value(await host.createRepository(repository, first))
  return folder
})

export async function openLocal(now: () => number = Date.now): Promise<LocalFixture> {
  const scratch = await mkdtemp(join(tmpdir(), 'portico-git-'))
  const reported: LocalFixture['reported'] = []
  const directory = join(scratch, 'git')
  const local = createLocalGitHost({
    directory,
    publicUrl: `${PUBLIC_URL}/`,
    clock: { now },
    onRefsChanged: (repository, changes) => void reported.push([repository, changes]),
  })
  const host = withReleases(local, directory)
  await cp(await template(), directory, { recursive: true })
  const bare = join(directory, REPOSITORY)
  const inBare = (args: readonly string[], stdin = '') =>
    git(scratch, [`--git-dir=${bare}`, ...args], stdin)

  return {
    host,
    repository,
    scratch,
    bare,
    reported,
    async plant(branch, entries) {
      const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}"`
      const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
      const changes = entries.map(({ path, mode, content }) =>
        mode === '160000'
          ? `M 160000 ${content} ${quote(path)}\n`
          : `M ${mode} inline ${quote(path)}\n${data(content)}`,
      )
      await inBare(
        ['fast-import', '--quiet', '--force'],
        `commit refs/heads/${branch}\ncommitter A <a@b> 1 +0000\n${data('planted')}${changes.join('')}\n`,
      )
    },
    deleteBranch: async (branch) =>
      void (await inBare(['update-ref', '-d', `refs/heads/${branch}`])),
    resetBranch: async (branch, commit) =>
      void (await inBare(['update-ref', `refs/heads/${branch}`, commit])),
    mergePullRequest: async (number) =>
      void value(await host.mergePullRequest(repository, number, { by: AUTHOR })),
    closePullRequest: async (number) =>
      void value(await host.closePullRequest(repository, number, AUTHOR)),
    judge: null,
    lacks: [],
    async publishRelease(release) {
      const { commit } = value(await host.head(repository))
      await publishRelease(bare, { ...release, name: release.tag, notes: '' }, commit, now())
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  }
}

/** The git of a developer. Throws its standard error. */
export async function git(
  cwd: string,
  args: readonly string[],
  stdin: string | Uint8Array<ArrayBuffer> = '',
): Promise<string> {
  const child = Bun.spawn(['git', ...args], {
    cwd,
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: Bun.env['PATH'] ?? '',
      HOME: cwd,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Dev',
      GIT_AUTHOR_EMAIL: 'dev@example.com',
      GIT_COMMITTER_NAME: 'Dev',
      GIT_COMMITTER_EMAIL: 'dev@example.com',
    },
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

/** A clone of the fixture's repository. */
export async function clone({ scratch }: LocalFixture, url: string, ...options: string[]) {
  const work = join(scratch, `work-${crypto.randomUUID()}`)
  await git(scratch, ['clone', '--quiet', ...options, `${url}/${REPOSITORY}`, work])
  return work
}

/** Runs git. Resolves to `done`, or to its complaint. */
export const attempt = (work: string, ...args: readonly string[]) =>
  git(work, args).then(
    () => 'done',
    (cause: unknown) => String(cause),
  )

/** A pull request that adds a file. */
export async function proposal({ host, repository }: LocalFixture, name: string) {
  const { commit } = value(await host.head(repository))
  const from = { kind: 'create', parent: commit } as const
  const request = { changes: [write(`${name}.txt`, name)], message: name, author: AUTHOR }
  value(await host.commit(repository, { branch: branch(name), from, ...request }))
  const draft = { head: branch(name), base: MAIN, title: name, body: '', author: AUTHOR }
  return value(await host.openPullRequest(repository, draft)).pullRequest
}

export const anythingGoes: PushRule = () => null

/** The host on a real socket, for one visitor. */
export function serve(
  host: Pick<LocalGitHost, 'serveGit'>,
  who: Visitor,
  rule: PushRule = anythingGoes,
) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 120,
    fetch: (request) => host.serveGit(request, who, rule),
  })
  return {
    url: `http://127.0.0.1:${server.port}/git`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
