import { Elysia } from 'elysia'
import STYLE from '#src/demo/style/people.css' with { type: 'text' }

const HEADERS = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }

export default () => new Elysia().get('', () => new Response(STYLE, { headers: HEADERS }))
