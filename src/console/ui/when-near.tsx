import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const NEAR = '400px'

/** Whether somebody has come within `margin` of the element that gets `place`; true from the beginning if it `isWanted`. */
export function useNear(margin: string, isWanted = false) {
  const isNear = useSignal(isWanted)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) isNear.value = true
      },
      { rootMargin: margin },
    )
    if (place.current !== null) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { isNear: isNear.value, place }
}

/** While what is above it still grows. */
const HOLD_MS = 10_000

/** Keeps an element at the top of the window until somebody does something. Returns the function that ends it. */
export function holdInView(element: Element): () => void {
  const observer = new ResizeObserver(() => element.scrollIntoView())
  const end = () => observer.disconnect()
  observer.observe(document.body)
  setTimeout(end, HOLD_MS)
  for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(act, end, { once: true })
  return end
}

interface WhenNearProps {
  /** The address asks for it. */
  readonly isWanted: boolean
  readonly children: ComponentChildren
}

/** Draws what is below once somebody comes near it: until then it asks for nothing. */
export function WhenNear({ isWanted, children }: WhenNearProps) {
  const { isNear, place } = useNear(NEAR, isWanted)
  return isNear ? <>{children}</> : <div ref={place} class="card when-near" />
}
