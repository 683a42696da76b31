import type { BareRepository } from './git/bare-repository.ts'

/** A git hosting service with an organization `acme`, and what people and the service itself do there. */
export interface Forge extends AsyncDisposable {
  /** Settings of a portal that works there. */
  readonly settings: Readonly<Record<string, string>>
  /** A push to `main` as the service tells it, with the secret. */
  delivery(secret: string, repository: string): Delivery
  /** A repository with one commit of these files on `main`. */
  create(name: string, files: Readonly<Record<string, string>>): Promise<void>
  /** A person pushes one commit to `main`. */
  push(name: string, files: Readonly<Record<string, string>>): Promise<void>
  /** A person merges a pull request. */
  merge(name: string, pullRequest: number): Promise<void>
  /** Contents by path, on `main` or another branch. */
  files(name: string, branch?: string): Promise<Readonly<Record<string, string>>>
  /** Number of commits on `main`. */
  commits(name: string): Promise<number>
}

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A delivery signed with the secret, whose event is in the header of this name. */
export function signedPush(eventHeader: string, secret: string, repository: string): Delivery {
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    repository: { full_name: repository, default_branch: 'main' },
  })
  const signature = new Bun.CryptoHasher('sha256', secret).update(body).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      [eventHeader]: 'push',
      'x-hub-signature-256': `sha256=${signature}`,
    },
  }
}

/** Text files of a branch by path. */
export async function readBranch(
  git: BareRepository,
  branch: string,
): Promise<Readonly<Record<string, string>>> {
  const tip = await git.reference(`refs/heads/${branch}`)
  if (tip === null) return {}
  const listed = (await git.git(['ls-tree', '-r', '-z', '--name-only', tip])).toString()
  const files: Record<string, string> = {}
  for (const path of listed.split('\0').slice(0, -1)) {
    files[path] = (await git.git(['cat-file', 'blob', `${tip}:${path}`])).toString()
  }
  return files
}

export async function countCommits(git: BareRepository, branch: string): Promise<number> {
  return Number((await git.git(['rev-list', '--count', `refs/heads/${branch}`])).toString())
}
