import { people } from '../people.ts'
import { file, yaml } from './file.ts'
import type { SeedCommit } from './history.ts'

const README = `# acme/templates

What new projects start from. Each folder of \`templates/\` is a template:

- \`template.yaml\`: its title, owner, version and features
- \`skeleton/\`: becomes the first commit of the new repository

\`{{ values.appName }}\` and the like are replaced in file contents and file names; nothing else is touched.
`

const bunService = {
  id: 'bun-service',
  title: 'Bun HTTP service',
  description: 'A small HTTP service on Bun, with a health check and a container image',
  type: 'service',
  tags: ['bun', 'http'],
  owner: 'group:acme/platform-team',
  version: '1.0.0',
  deprecated: false,
  features: {
    database: { supported: true, default: false },
    externalSecrets: { supported: true, default: true },
    ingress: { supported: true, default: true },
  },
}

const SERVICE_README = `# {{ values.appName }}

{{ values.description }}

Owned by {{ values.team }}. \`bun start\` serves on port 8080.
`

const SERVICE_PACKAGE = `{
  "name": "{{ values.appName }}",
  "private": true,
  "type": "module",
  "scripts": { "start": "bun server.ts" }
}
`

const SERVICE = `const server = Bun.serve({
  port: 8080,
  routes: {
    '/healthz': () => new Response('ok'),
    '/': () => new Response('Hello from {{ values.appName }}\\n'),
  },
})
console.log(\`listening on \${server.url}\`)
`

const CONTAINERFILE = `FROM oven/bun:1
WORKDIR /app
COPY . .
USER bun
EXPOSE 8080
CMD ["bun", "start"]
`

export const commits: readonly [SeedCommit, ...SeedCommit[]] = [
  {
    daysAgo: 150.2,
    by: people.platform,
    message: 'Start the templates repository',
    files: [file('README.md', README)],
  },
  {
    daysAgo: 149.4,
    by: people.platform,
    message: 'bun-service: add template',
    files: [
      file('templates/bun-service/template.yaml', yaml(bunService)),
      file('templates/bun-service/skeleton/README.md', SERVICE_README),
      file('templates/bun-service/skeleton/package.json', SERVICE_PACKAGE),
      file('templates/bun-service/skeleton/server.ts', SERVICE),
      file('templates/bun-service/skeleton/Dockerfile', CONTAINERFILE),
    ],
  },
]
