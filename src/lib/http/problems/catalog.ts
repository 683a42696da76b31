import { row, type SomeProblems } from '../problem-table.ts'

export const catalogProblems = {
  entity_not_found: {
    status: 404,
    title: 'The catalog has no such entity',
    members: ({ suggestions }) => ({ suggestions }),
  },
  repository_not_found: row(
    404,
    'The entity has no repository in this organisation that the portal can read',
  ),
  doc_not_found: row(404, 'There is no such page'),
  catalog_empty: row(503, 'The default branch of the gitops repository has no entities any more'),
  catalog_loading: row(
    503,
    'The catalog is being read; try again in a moment',
    'catalog_unavailable',
  ),
  catalog_parser_failed: row(503, 'The catalog cannot be read now', 'catalog_unavailable'),
} satisfies SomeProblems
