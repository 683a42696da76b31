import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { operation } from '#src/lib/http/operation.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { html } from '#src/lib/http/html.ts'
import { PAGE_HEADERS, pageText } from '#src/lib/presenters/sign-in/page.ts'

const description = operation({
  id: 'getCodePage',
  tag: 'Grants',
  summary: 'The code of `portico login --paste`, to copy',
  open: true,
  query: Type.Object({ code: Type.Optional(Type.String()), error: Type.Optional(Type.String()) }),
  responses: {
    200: {
      description: 'A page with the code',
      content: { contentType: 'text/html', schema: Type.String() },
    },
  },
})

const CODE = /^prc_[0-9A-Za-z]{49}$/

export default () =>
  new Elysia().get(
    '',
    ({ request }) => {
      const { requestId } = contextOf(request)
      const code = new URL(request.url).searchParams.get('code') ?? ''
      const text = pageText(
        CODE.test(code)
          ? {
              title: 'Your code',
              paragraphs: [
                html`<code>${code}</code>`,
                'Paste it into the terminal in which you started `portico login --paste`, within a minute. Give it to nobody: whoever asks you for it wants to act as you.',
              ],
              actions: [],
              requestId,
            }
          : {
              title: 'No code',
              paragraphs: ['The command line was not allowed to act for you.'],
              actions: [{ label: 'To the portal', href: '/' }],
              requestId,
            },
      )
      return new Response(text, { headers: PAGE_HEADERS })
    },
    description,
  )
