import type { RepositoryId } from '../../names.ts'
import type { HostPage } from '../../ports/git-host.ts'

/**
 * `site`: URL of the host's pages, without a slash at its end. `files`: the segments between a repository and the commit of a file;
 * a first one of `-`, as at GitLab, is that of all pages.
 */
export function pageUrl(
  site: string,
  files: string,
  { owner, name }: RepositoryId,
  page: HostPage,
): string {
  const repository = `${site}/${owner}/${name}`
  const first = files.startsWith('-/') ? '-/' : ''
  if (page.kind === 'repository') return repository
  if (page.kind === 'commit') return `${repository}/${first}commit/${page.commit}`
  const path = page.path.split('/').map(encodeURIComponent).join('/')
  const line = page.line === null ? '' : `#L${page.line}`
  return `${repository}/${files}/${page.commit}/${path}${line}`
}
