import { signal } from '@preact/signals'
import type { Application } from './applications.ts'

/** Applications of the rows on the page, by the offset of their part of the list. */
export const shownApplications = signal<ReadonlyMap<number, readonly Application[]>>(new Map())

export function showApplications(offset: number, applications: readonly Application[] | undefined) {
  const next = new Map(shownApplications.peek())
  if (applications === undefined) next.delete(offset)
  else next.set(offset, applications)
  shownApplications.value = next
}

/** How many parts of which list are shown, for the way back from an entity. */
export const shownParts = signal({ list: '', parts: 1 })
