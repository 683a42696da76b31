import { type Html, html } from '../../lib/http/html.ts'
import type { FileFacts } from './file.ts'
import { unshownReason, viewOf } from './file-view.ts'
import { fileLink, rawLink } from './links.ts'
import { empty } from './parts.ts'
import { lastCommit, placeHeading, refPicker } from './place-head.ts'

/** A file of a branch or a commit. */
export function fileMain({ place, item, tips, bytes, ...facts }: FileFacts): Html {
  const reason = unshownReason(item.kind)
  const view = reason === null ? viewOf(bytes, item.sizeBytes) : { facts: '', body: empty(reason) }
  return html`
    <div class="stack">
      <div class="bar">
        ${refPicker(place, tips.tips, (ref) => fileLink(place.id, ref, place.path))}
        ${placeHeading(place)}
        <p class="bar-end muted">${view.facts}</p>
        ${reason === null ? html`<a class="button" href="${rawLink(place.id, place.ref, place.path)}">Raw</a>` : null}
      </div>
      <section class="card" aria-label="File">
        ${lastCommit(place, facts.lastCommit)}${view.body}
      </section>
    </div>
  `
}
