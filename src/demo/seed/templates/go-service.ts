import dockerignore from './go-service/.dockerignore.txt' with { type: 'text' }
import gitignore from './go-service/.gitignore.txt' with { type: 'text' }
import ci from './go-service/ci.yaml.txt' with { type: 'text' }
import dockerfile from './go-service/Dockerfile.txt' with { type: 'text' }
import goMod from './go-service/go.mod.txt' with { type: 'text' }
import handler from './go-service/handler.go.txt' with { type: 'text' }
import handlerTest from './go-service/handler_test.go.txt' with { type: 'text' }
import logged from './go-service/logged.go.txt' with { type: 'text' }
import main from './go-service/main.go.txt' with { type: 'text' }
import readme from './go-service/README.md.txt' with { type: 'text' }
import { parameters } from './parameters.ts'
import codeowners from './shared/CODEOWNERS.txt' with { type: 'text' }
import kustomization from './shared/kustomization.yaml.txt' with { type: 'text' }
import application from './shared/xtenant-app.service.yaml.txt' with { type: 'text' }
import type { SeedTemplate } from './template.ts'

export const goService: SeedTemplate = {
  manifest: {
    id: 'go-service',
    title: 'Go HTTP service',
    description:
      'An HTTP service on the standard library of Go, in an image with nothing else in it',
    type: 'service',
    tags: ['go', 'http'],
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
    'cmd/{{ values.appName }}/main.go': main,
    'go.mod': goMod,
    'internal/web/handler.go': handler,
    'internal/web/handler_test.go': handlerTest,
    'internal/web/logged.go': logged,
  },
  gitops: { 'kustomization.yaml': kustomization, 'xtenant-app.yaml': application },
}
