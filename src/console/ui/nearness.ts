/** Tells elements of a region that scrolls whether they are in its view, or less than a view away. */
export interface Nearness {
  /** Returns the function that ends it. */
  watch(element: Element, tell: (isNear: boolean) => void): () => void
}

export function createNearness(region: Element): Nearness {
  const listeners = new WeakMap<Element, (isNear: boolean) => void>()
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
    },
    { root: region, rootMargin: '100% 0px' },
  )
  return {
    watch(element, tell) {
      listeners.set(element, tell)
      observer.observe(element)
      return () => observer.unobserve(element)
    },
  }
}
