import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/result.ts'
import { Dialog } from './dialog.tsx'
import type { IconName } from './icons.ts'
import { Act, ProblemNote } from './parts.tsx'

interface QuestionProps {
  readonly title: string
  /** Label of the button that does it. */
  readonly act: string
  readonly icon?: IconName | undefined
  /** Answers with the problem, when it failed. */
  readonly onAct: () => Promise<Problem | undefined>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before an act that cannot be undone. It stays open, with the reason, when the act fails. */
export function Question({ title, act, icon, onAct, onClose, children }: QuestionProps) {
  const isBusy = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)

  async function run() {
    isBusy.value = true
    problem.value = await onAct()
    isBusy.value = false
    if (problem.value === undefined) onClose()
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <div>
        {children}
        {problem.value !== undefined && <ProblemNote problem={problem.value} />}
      </div>
      <footer>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <Act icon={icon} isPrimary isBusy={isBusy.value} onClick={run}>
          {act}
        </Act>
      </footer>
    </Dialog>
  )
}
