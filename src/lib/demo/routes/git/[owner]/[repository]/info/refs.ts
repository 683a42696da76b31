import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/lib/demo/deps.ts'
import { gitOverHttp } from '#src/lib/demo/git-over-http.ts'

export default ({ forge }: Pick<DemoDeps, 'forge'>) => new Elysia().get('', gitOverHttp({ forge }))
