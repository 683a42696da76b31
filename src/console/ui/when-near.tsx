import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const NEAR = '400px'

/** Whether somebody has come within `margin` of the element that gets `place`. */
export function useNear(margin: string) {
  const isNear = useSignal(false)
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

/** Draws what is below once somebody comes near it: until then it asks for nothing. */
export function WhenNear({ children }: { readonly children: ComponentChildren }) {
  const { isNear, place } = useNear(NEAR)
  return isNear ? <>{children}</> : <div ref={place} class="card when-near" />
}
