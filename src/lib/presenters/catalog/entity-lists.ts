import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import { createJsonLists } from '../json-lists.ts'

/** Lists of entities. A later load of the same tree may bring what was left out. */
export const createEntityLists = () =>
  createJsonLists<Snapshot>({
    contentOf: ({ entities }) => entities,
    tagOf: ({ tree, leftOut }) => [tree, ...leftOut.keys()].join('\n'),
  })
