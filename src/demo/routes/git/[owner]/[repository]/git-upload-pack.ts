import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { gitOverHttp } from '#src/demo/git-over-http.ts'

export default (deps: Pick<DemoDeps, 'forge' | 'platformGroup'>) =>
  new Elysia().post('', gitOverHttp(deps), { parse: 'none' })
