import { Elysia } from 'elysia'
import { STYLE } from '#src/console/git/style/index.ts'

const HEADERS = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }

export default () => new Elysia().get('', () => new Response(STYLE, { headers: HEADERS }))
