import { hostedSettings } from '../hosted/settings.ts'
import { serverKind } from '../hosted/server-kind.ts'

/** Gitea and Forgejo. */
export const gitea = serverKind({
  prefix: 'GITEA',
  host: 'Gitea',
  api: '/api/v1',
  url: {
    description:
      'URL of Gitea or Forgejo, without `/api/v1`. Plain http is accepted to this machine only',
    example: 'https://git.example.org',
  },
  token: {
    description:
      'Access token of the account that Portico works as, with the scopes `write:repository`, `write:organization`, `write:issue` and `read:user`',
    example: '0123456789abcdef0123456789abcdef01234567',
  },
  mistakes({ REPOSITORY_VISIBILITY: visibility }) {
    if (visibility !== 'internal') return []
    const reason = 'must be private or public: Gitea has no internal repositories'
    const { example } = hostedSettings.REPOSITORY_VISIBILITY
    return [{ variable: 'REPOSITORY_VISIBILITY', reason, example }]
  },
  load: async () => (await import('./index.ts')).createGitea,
})
