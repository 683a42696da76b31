import dockerignore from './bun-service/.dockerignore.txt' with { type: 'text' }
import gitignore from './bun-service/.gitignore.txt' with { type: 'text' }
import lock from './bun-service/bun.lock.txt' with { type: 'text' }
import ci from './bun-service/ci.yaml.txt' with { type: 'text' }
import dockerfile from './bun-service/Dockerfile.txt' with { type: 'text' }
import log from './bun-service/log.ts.txt' with { type: 'text' }
import main from './bun-service/main.ts.txt' with { type: 'text' }
import manifest from './bun-service/package.json.txt' with { type: 'text' }
import readme from './bun-service/README.md.txt' with { type: 'text' }
import serverTest from './bun-service/server.test.ts.txt' with { type: 'text' }
import server from './bun-service/server.ts.txt' with { type: 'text' }
import tsconfig from './bun-service/tsconfig.json.txt' with { type: 'text' }
import { parameters } from './parameters.ts'
import codeowners from './shared/CODEOWNERS.txt' with { type: 'text' }
import kustomization from './shared/kustomization.yaml.txt' with { type: 'text' }
import application from './shared/xtenant-app.service.yaml.txt' with { type: 'text' }
import type { SeedTemplate } from './template.ts'

export const bunService: SeedTemplate = {
  manifest: {
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
    parameters: { type: 'object', properties: parameters },
  },
  skeleton: {
    '.dockerignore': dockerignore,
    '.github/workflows/ci.yaml': ci,
    '.gitignore': gitignore,
    CODEOWNERS: codeowners,
    Dockerfile: dockerfile,
    'README.md': readme,
    'bun.lock': lock,
    'package.json': manifest,
    'src/log.ts': log,
    'src/main.ts': main,
    'src/server.test.ts': serverTest,
    'src/server.ts': server,
    'tsconfig.json': tsconfig,
  },
  gitops: { 'kustomization.yaml': kustomization, 'xtenant-app.yaml': application },
}
