import type { Answer } from '#tests/peers/forge/answer.ts'
import { compareCommits, readCommit, type Commit } from '#tests/peers/forge/git/commits.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import { linkHeader, pageOf } from '../paging.ts'
import { fullName, type Repository } from '../state.ts'
import { showVerification } from './commits.ts'
import { gitUrlOf } from './git-url.ts'

/** Without paging the newest of them are answered. */
const COMMITS_MAX = 250
const FILES_MAX = 300

export async function compare(call: RepositoryCall): Promise<Answer> {
  const { repository, links, parameters, query } = call
  const [base = '', head = ''] = (parameters['basehead'] ?? '').split('...')
  const [from, to] = await Promise.all([resolve(repository, base), resolve(repository, head)])
  if (from === null || to === null) throw notFound()
  const comparison = await compareCommits(repository.git, from.id, to.id)
  const mergeBase = await readCommit(repository.git, comparison.mergeBase ?? '')
  if (mergeBase === null) throw notFound()
  const { ahead, behind } = comparison
  const isPaged = query.has('page') || query.has('per_page')
  const page = isPaged ? pageOf(call) : { number: 1, size: Math.max(1, ahead.length) }
  const first = (page.number - 1) * page.size
  const ids = isPaged ? ahead.slice(first, first + page.size) : ahead.slice(-COMMITS_MAX)
  const commits: Commit[] = []
  for (const id of ids) {
    const commit = await readCommit(repository.git, id)
    if (commit !== null) commits.push(commit)
  }
  const web = `${links.web}/${fullName(repository)}/compare/${base}...${head}`
  const show = (commit: Commit) => showCommit(links, repository, commit)
  return {
    status: 200,
    headers: linkHeader(call, page, ahead.length),
    body: {
      url: `${links.api}/repos/${fullName(repository)}/compare/${base}...${head}`,
      html_url: web,
      permalink_url: web,
      diff_url: `${web}.diff`,
      patch_url: `${web}.patch`,
      base_commit: show(from),
      merge_base_commit: show(mergeBase),
      status: statusOf(ahead.length, behind),
      ahead_by: ahead.length,
      behind_by: behind,
      total_commits: ahead.length,
      commits: commits.map(show),
      ...(page.number === 1 && {
        files: await changedFiles(links, repository, mergeBase.id, to.id),
      }),
    },
  }
}

function statusOf(ahead: number, behind: number) {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead'
  return behind > 0 ? 'behind' : 'identical'
}

async function resolve({ git }: Repository, text: string): Promise<Commit | null> {
  return await readCommit(git, (await git.reference(`refs/heads/${text}`)) ?? text)
}

export function showCommit(links: Links, repository: Repository, commit: Commit) {
  const url = `${links.api}/repos/${fullName(repository)}/commits/${commit.id}`
  const html = `${links.web}/${fullName(repository)}/commit`
  const at = ({ name, email, at: seconds }: Commit['author']) => ({
    name,
    email,
    date: timeOf(seconds * 1000),
  })
  return {
    sha: commit.id,
    node_id: nodeId('C', commit.id),
    commit: {
      author: at(commit.author),
      committer: at(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${gitUrlOf(links, repository)}/trees/${commit.tree}` },
      url: `${gitUrlOf(links, repository)}/commits/${commit.id}`,
      comment_count: 0,
      verification: showVerification(commit),
    },
    url,
    html_url: `${html}/${commit.id}`,
    comments_url: `${url}/comments`,
    author: null,
    committer: null,
    parents: commit.parents.map((id) => ({
      sha: id,
      url: `${links.api}/repos/${fullName(repository)}/commits/${id}`,
      html_url: `${html}/${id}`,
    })),
  }
}

const STATUSES: Readonly<Record<string, string>> = { A: 'added', D: 'removed' }

async function changedFiles(links: Links, repository: Repository, from: string, to: string) {
  const output = await repository.git.git(['diff-tree', '-r', '-z', '--no-renames', from, to])
  const fields = output.toString('utf8').split('\0')
  const files = []
  for (let index = 0; index + 1 < fields.length && files.length < FILES_MAX; index += 2) {
    const [, , , id = '', letter = ''] = (fields[index] ?? '').split(' ')
    const filename = fields[index + 1] ?? ''
    const place = `${fullName(repository)}/blob/${to}/${encodeURI(filename)}`
    files.push({
      sha: id,
      filename,
      status: STATUSES[letter] ?? 'modified',
      additions: 0,
      deletions: 0,
      changes: 0,
      blob_url: `${links.web}/${place}`,
      raw_url: `${links.web}/${place}?raw=true`,
      contents_url: `${links.api}/repos/${fullName(repository)}/contents/${encodeURI(filename)}?ref=${to}`,
    })
  }
  return files
}
