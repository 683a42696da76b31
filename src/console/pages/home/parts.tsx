import type { Tone } from '../../ui/words.ts'

interface CountProps {
  readonly of: number
  readonly tone: Tone
}

/** Beside a heading; nothing when there is nothing. */
export const Count = ({ of, tone }: CountProps) =>
  of === 0 ? null : (
    <span class="home-count" data-tone={tone}>
      {of.toLocaleString('en')}
    </span>
  )
