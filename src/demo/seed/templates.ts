import { people } from '../people.ts'
import { file } from './file.ts'
import type { SeedCommit } from './git-history.ts'
import { bunService } from './templates/bun-service.ts'
import { goService } from './templates/go-service.ts'
import { staticSite } from './templates/static-site.ts'
import { filesOf } from './templates/template.ts'

const README = `# acme/templates

Templates for new projects. Each folder of \`templates/\` is a template:

- \`template.yaml\`: its title, owner, version, features and parameters
- \`skeleton/\`: becomes the first commit of the new repository
- \`gitops/\`: becomes the base of the application in the gitops repository

\`{{ values.NAME }}\` is replaced in file contents and file names; everything else is copied unchanged. NAME is one of \`appName\`,
\`description\`, \`team\`, \`namespace\`, \`org\`, \`owner\`, \`image\`, \`templateId\` and \`templateVersion\`, of the features
\`databaseEnabled\`, \`externalSecretsEnabled\` and \`ingressEnabled\`, and \`parameters.\` with the name of a parameter. \`description\` is
free text. Use it in the README only: in code, YAML and HTML its characters would have a meaning.
The placeholder of a parameter that is text belongs in quotes.
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
    files: filesOf(bunService),
  },
  {
    daysAgo: 118.25,
    by: people.platform,
    message: 'go-service: add template',
    files: filesOf(goService),
  },
  {
    daysAgo: 73.3,
    by: people.platform,
    message:
      'static-site: add template\n\nFor documentation and landing pages, which needed a service each until now.',
    files: filesOf(staticSite),
  },
]
