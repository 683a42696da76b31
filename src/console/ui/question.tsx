import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/result.ts'
import { ActProblem } from './act-problem.tsx'
import { Act, type ActProps } from './act.tsx'
import { Dialog } from './dialog.tsx'

interface QuestionProps {
  readonly title: string
  /** Label of the button that does it. */
  readonly act: string
  readonly icon?: ActProps['icon']
  readonly look?: ActProps['look']
  /** Label of the button that does not. */
  readonly cancel?: string
  /** Answers with the problem, when it failed. */
  readonly onAct: () => Promise<Problem | undefined> | undefined
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** Asks before an act that cannot be undone. It stays open, with the reason, when the act fails. */
export function Question({ title, act, onAct, onClose, children, ...props }: QuestionProps) {
  const problem = useSignal<Problem | undefined>(undefined)
  async function run() {
    problem.value = await onAct()
    if (problem.value === undefined) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {(children !== undefined || problem.value !== undefined) && (
        <div>
          {children}
          {problem.value !== undefined && <ActProblem problem={problem.value} />}
        </div>
      )}
      <footer>
        <Act onClick={onClose}>{props.cancel ?? 'Cancel'}</Act>
        <Act icon={props.icon} look={props.look ?? 'primary'} onClick={run}>
          {act}
        </Act>
      </footer>
    </Dialog>
  )
}

interface AskingActProps extends Omit<QuestionProps, 'onClose'> {
  /** Text of the button that asks. */
  readonly label: string
  readonly reason: ActProps['reason']
}

/** A button that asks before it does something. */
export function AskingAct({ label, reason, ...question }: AskingActProps) {
  const isAsking = useSignal(false)
  return (
    <span>
      <Act reason={reason} onClick={() => (isAsking.value = true)}>
        {label}
      </Act>
      {isAsking.value && <Question {...question} onClose={() => (isAsking.value = false)} />}
    </span>
  )
}
