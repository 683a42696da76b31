import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { forgeProblem } from '#src/console/git/forge-problem.ts'
import { pageSession } from '#src/console/git/page-session.ts'
import { commitMain } from '#src/console/git/commits.ts'
import { subjectOf } from '#src/console/git/place-head.ts'
import { repositoryPage } from '#src/console/git/repository-page.ts'
import { commitParams as params } from '#src/console/git/repository-params.ts'

/** A commit, with its changes against its first parent. */
export default ({ forge }: Pick<GitPageDeps, 'forge'>) =>
  new Elysia().use(pageSession).get(
    '',
    async ({ request, params: { owner, repository, commit: head } }) => {
      const id = { owner, name: repository }
      const commit = await forge.browse.commit(id, head)
      if (!commit.ok) return forgeProblem(request, commit.error)
      const base = commit.value.parents[0] ?? null
      const changes = await forge.browse.changes(id, { base, head })
      if (!changes.ok) return forgeProblem(request, changes.error)
      const title = `${subjectOf(commit.value.message)} · ${owner}/${repository}`
      const main = commitMain(id, commit.value, changes.value)
      return repositoryPage(request, { id, tab: 'commits', title, main })
    },
    { params },
  )
