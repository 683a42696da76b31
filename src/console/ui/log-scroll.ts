/** Scroll position of a region, in pixels, with the names of the DOM. */
export interface ScrollPosition {
  readonly scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** A view that ends so close to the last line follows it. */
const END_PX = 24

/**
 * Whether the view follows the last line after a scroll event. Only a way up ends it: when lines are drawn higher than they were
 * guessed, events of earlier scrolls come with a new height.
 */
export function followsEnd(didFollow: boolean, topBefore: number, now: ScrollPosition): boolean {
  const { scrollTop, scrollHeight, clientHeight } = now
  const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PX
  return isAtEnd || (didFollow && scrollTop >= topBefore)
}
