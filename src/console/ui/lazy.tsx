import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { announce } from './announce.ts'

/** A component whose code is fetched when it is shown first; until then nothing is shown. */
export function lazy<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined)
  let isAsked = false

  async function ask() {
    if (isAsked) return
    isAsked = true
    try {
      loaded.value = (await load()).default
    } catch {
      isAsked = false
      announce('A part of the page is missing; perhaps Portico was updated. Load the page again.')
    }
  }

  return function Lazy(props: Props) {
    useEffect(() => void ask(), [])
    const Loaded = loaded.value
    return Loaded === undefined ? null : <Loaded {...props} />
  }
}
