import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { ScaffoldTemplate, templateBody } from '#src/lib/presenters/scaffold/schemas.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listTemplates',
  scope: 'catalog:read',
  tag: 'Scaffold',
  summary: 'List the templates of new projects',
  description:
    'Sorted by id, without broken templates: `/api/v1/catalog/problems` lists their mistakes. `parameters` is a JSON Schema to make a form of; it is left out where a template has none.',
  tagged: true,
  responses: {
    200: {
      description: 'The templates',
      content: {
        schema: Type.Array(ScaffoldTemplate),
        example: [
          {
            id: 'bun-service',
            title: 'Bun HTTP service',
            description: 'A small HTTP service on Bun',
            type: 'service',
            tags: ['bun', 'http'],
            owner: 'group:acme/platform-team',
            version: '1.2.0',
            revision: '4be1c0d1f1b2a3948576acbd0e1f2a3b4c5d6e7f',
            deprecated: false,
            features: {
              database: { supported: true, default: false },
              externalSecrets: { supported: true, default: true },
              ingress: { supported: true, default: true },
            },
            parameters: {
              type: 'object',
              properties: {
                port: { type: 'integer', title: 'Port', default: 8080, minimum: 1024 },
                databaseSize: { enum: ['small', 'large'], default: 'small' },
              },
            },
          },
        ],
      },
    },
  },
  problems: [429, 502, 503, 504],
})

export default ({ scaffold }: Pick<Deps, 'scaffold'>) =>
  new Elysia().use(session).get(
    '',
    async ({ request }) => {
      const list = await scaffold.templates()
      return list.ok
        ? taggedJson(request, list.value.templates.map(templateBody))
        : problem(request, list.error)
    },
    description,
  )
