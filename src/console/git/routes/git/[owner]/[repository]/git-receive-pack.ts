import { Elysia } from 'elysia'
import type { GitPageDeps } from '#src/console/git/deps.ts'
import { gitOverHttp } from '#src/console/git/git-over-http.ts'

export default (deps: Pick<GitPageDeps, 'forge' | 'gitAccess' | 'changed'>) =>
  new Elysia().post('', gitOverHttp(deps), { parse: 'none' })
