import type { SomeProblems } from '../problem-table.ts'

export const catalogProblems = {
  entity_not_found: {
    status: 404,
    title: 'The catalog has no such entity',
    members: ({ suggestions }) => ({ suggestions }),
  },
  repository_not_found: {
    status: 404,
    title: 'The entity has no repository in this organisation that the portal can read',
  },
  doc_not_found: { status: 404, title: 'There is no such page' },
  catalog_empty: {
    status: 503,
    title: 'The default branch of the gitops repository has no entities any more',
  },
  catalog_loading: {
    status: 503,
    code: 'catalog_unavailable',
    title: 'The catalog is being read; try again in a moment',
  },
  catalog_parser_failed: {
    status: 503,
    code: 'catalog_unavailable',
    title: 'The catalog cannot be read now',
  },
} satisfies SomeProblems
