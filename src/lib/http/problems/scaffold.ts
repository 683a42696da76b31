import { row, type SomeProblems } from '../problem-table.ts'

const nameUses = {
  catalog: 'the catalog has a component with this name',
  apps: 'the gitops repository has an application with this name',
  git_host: 'a repository has this name',
  pull_request: 'a branch of the gitops repository proposes it',
  object_name: 'another application has objects with the name <team>-<appName> in the cluster',
  run: 'another run is creating it',
} as const

export const scaffoldProblems = {
  template_not_found: row(404, 'There is no such template'),
  template_broken: {
    status: 409,
    title: 'The template cannot be rendered',
    members: ({ reason }) => ({ detail: reason }),
  },
  namespace_taken: {
    status: 422,
    title: 'The namespace belongs to another team',
    members: ({ team }) => {
      const message = `belongs to the team ${team}: choose one of your own team, or ask the platform team`
      const errors = [{ path: '/namespace', rule: 'taken', message } as const]
      return { detail: `namespace: ${message}`, errors }
    },
  },
  run_not_found: row(404, 'There is no such run'),
  run_not_retryable: row(409, 'Trying this run again would not help'),
  already_exists: {
    status: 409,
    title: 'The name is in use already',
    members: ({ where, runId }) => ({
      detail: where.map((use) => nameUses[use]).join('; '),
      where,
      ...(runId !== null && { runId }),
    }),
  },
} satisfies SomeProblems
