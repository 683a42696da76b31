import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

const NEAR = '400px'

/** Draws what is below once somebody comes near it: until then it asks for nothing. */
export function WhenNear({ children }: { readonly children: ComponentChildren }) {
  const isNear = useSignal(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) isNear.value = true
      },
      { rootMargin: NEAR },
    )
    if (place.current !== null) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return isNear.value ? <>{children}</> : <div ref={place} class="card when-near" />
}
