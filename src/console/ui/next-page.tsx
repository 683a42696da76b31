import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { nextBefore } from '../api/call.ts'
import { More } from './act.tsx'

interface NextPageProps {
  /** Of the page before. */
  readonly headers: Headers | undefined
  /** The page that follows it, by the `before` of its query. */
  readonly children: (before: string) => ComponentChildren
}

/** The page after one, once somebody asks for it. Nothing after the last one. */
export function NextPage({ headers, children }: NextPageProps) {
  const isShown = useSignal(false)
  const before = nextBefore(headers?.get('link'))
  if (before === undefined) return null
  return isShown.value ? <>{children(before)}</> : <More onClick={() => (isShown.value = true)} />
}
