import { type Html, html } from '../../lib/http/html.ts'
import { folderTable } from './folder-view.ts'
import type { FolderFacts } from './front.ts'
import { folderLink } from './links.ts'
import { lastCommit, placeHeading, refPicker } from './place-head.ts'
import { readmeCard } from './readme.ts'

/** A folder of a branch or a commit. */
export const folderMain = ({ place, folder, tips, readme, ...facts }: FolderFacts): Html => html`
  <div class="stack">
    <div class="bar">
      ${refPicker(place, tips.tips, (ref) => folderLink(place.id, ref, place.path))}
      ${placeHeading(place)}
    </div>
    <section class="card" aria-label="Files">
      ${lastCommit(place, facts.lastCommit)}${folderTable(place, folder)}
    </section>
    ${readme === null ? null : readmeCard(place, readme)}
  </div>
`
