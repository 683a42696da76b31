import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { gitOverHttp } from '#src/demo/git-over-http.ts'

export default ({ forge }: Pick<DemoDeps, 'forge'>) =>
  new Elysia().post('', gitOverHttp({ forge }), { parse: 'none' })
