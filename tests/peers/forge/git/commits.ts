import type { BareRepository } from './bare-repository.ts'

export interface Signature {
  readonly name: string
  readonly email: string
  /** Seconds since the Unix epoch. */
  readonly at: number
}

export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
  readonly isSigned: boolean
}

export async function readCommit(repository: BareRepository, id: string): Promise<Commit | null> {
  const bytes = await repository.readAs(id, 'commit')
  if (bytes === null) return null
  const text = new TextDecoder().decode(bytes)
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, end).split('\n')
  const all = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  return {
    id,
    tree: all('tree')[0] ?? '',
    parents: all('parent'),
    author: parseSignature(all('author')[0] ?? ''),
    committer: parseSignature(all('committer')[0] ?? ''),
    message: text.slice(end + 2),
    isSigned: all('gpgsig').length > 0,
  }
}

export async function writeCommit(
  repository: BareRepository,
  commit: Omit<Commit, 'id'>,
): Promise<string> {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${signatureLine(commit.author)}`,
    `committer ${signatureLine(commit.committer)}`,
    ...(commit.isSigned ? [SIGNATURE] : []),
  ]
  return await repository.write('commit', Buffer.from(`${lines.join('\n')}\n\n${commit.message}`))
}

const SIGNATURE = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----'

const signatureLine = ({ name, email, at }: Signature) => `${name} <${email}> ${at} +0000`

function parseSignature(line: string): Signature {
  const [, name = '', email = '', at = '0'] = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line) ?? []
  return { name, email, at: Number(at) }
}

export async function isAncestor(
  repository: BareRepository,
  ancestor: string,
  of: string,
): Promise<boolean> {
  if (ancestor === of) return true
  if ((await readCommit(repository, of))?.parents.includes(ancestor) === true) return true
  return (await repository.tryGit(['merge-base', '--is-ancestor', ancestor, of])).code === 0
}

export interface Comparison {
  readonly mergeBase: string | null
  /** In the history of the head alone, oldest first. */
  readonly ahead: readonly string[]
}

export async function compareCommits(
  repository: BareRepository,
  base: string,
  head: string,
): Promise<Comparison> {
  const [range, mergeBase] = await Promise.all([
    repository.git(['rev-list', '--topo-order', '--reverse', `${base}..${head}`]),
    repository.tryGit(['merge-base', base, head]),
  ])
  return {
    mergeBase: mergeBase.code === 0 ? mergeBase.stdout.toString().trim() : null,
    ahead: range.toString().split('\n').filter(Boolean),
  }
}
