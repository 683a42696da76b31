import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import { createJsonLists } from '../json-lists.ts'

/** Lists of entities. A later load of the same tree may bring what was left out; until then files have the blobs of before. */
export const createEntityLists = () =>
  createJsonLists<Snapshot>({
    contentOf: ({ entities }) => entities,
    tagOf: ({ tree, leftOut, files }) =>
      [tree, ...leftOut.keys().map((path) => `${path} ${files.get(path)?.blob}`)].join('\n'),
  })
