import { serverKind } from '../hosted/server-kind.ts'

/** GitLab, self-managed and gitlab.com. */
export const gitlab = serverKind({
  prefix: 'GITLAB',
  host: 'GitLab',
  api: '/api/v4',
  url: {
    description: 'URL of GitLab, without `/api/v4`. Plain http is accepted to this machine only',
    example: 'https://gitlab.com',
  },
  token: {
    description:
      'Access token of the account that Portico works as, of a group or of a project, or a token of OAuth, with the scopes `api` and `write_repository`',
    example: 'glpat-0123456789abcdefghij',
  },
  load: async () => (await import('./index.ts')).createGitLab,
})
