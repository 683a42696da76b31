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
