import missing from './static-site/404.html.txt' with { type: 'text' }
import dockerignore from './static-site/.dockerignore.txt' with { type: 'text' }
import gitignore from './static-site/.gitignore.txt' with { type: 'text' }
import ci from './static-site/ci.yaml.txt' with { type: 'text' }
import dockerfile from './static-site/Dockerfile.txt' with { type: 'text' }
import index from './static-site/index.html.txt' with { type: 'text' }
import nginx from './static-site/nginx.conf.txt' with { type: 'text' }
import readme from './static-site/README.md.txt' with { type: 'text' }
import siteTest from './static-site/site.test.ts.txt' with { type: 'text' }
import style from './static-site/style.css.txt' with { type: 'text' }
import { parameters } from './parameters.ts'
import codeowners from './shared/CODEOWNERS.txt' with { type: 'text' }
import kustomization from './shared/kustomization.yaml.txt' with { type: 'text' }
import application from './shared/xtenant-app.site.yaml.txt' with { type: 'text' }
import type { SeedTemplate } from './template.ts'

const { public: isPublic, ciOwners } = parameters

export const staticSite: SeedTemplate = {
  manifest: {
    id: 'static-site',
    title: 'Static site',
    description:
      'HTML and CSS as they are, served by nginx with security headers and a cache policy',
    type: 'website',
    tags: ['html', 'nginx'],
    owner: 'group:acme/platform-team',
    version: '1.0.0',
    deprecated: false,
    features: {
      database: { supported: false, default: false },
      externalSecrets: { supported: false, default: false },
      ingress: { supported: true, default: true },
    },
    parameters: { type: 'object', properties: { public: isPublic, ciOwners } },
  },
  skeleton: {
    '.dockerignore': dockerignore,
    '.github/workflows/ci.yaml': ci,
    '.gitignore': gitignore,
    CODEOWNERS: codeowners,
    Dockerfile: dockerfile,
    'README.md': readme,
    'nginx.conf': nginx,
    'site/404.html': missing,
    'site/assets/style.css': style,
    'site/index.html': index,
    'tests/site.test.ts': siteTest,
  },
  gitops: { 'kustomization.yaml': kustomization, 'xtenant-app.yaml': application },
}
