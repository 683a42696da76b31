import { useState } from 'preact/hooks'
import { Dialog } from '../../../ui/dialog.tsx'
import type { OpenActProps } from './acts-props.ts'
import { askedAct } from './acts-of.ts'
import { Confirm } from './confirm.tsx'
import { Deprecate } from './deprecate.tsx'
import { Propose } from './propose.tsx'
import { Rollback } from './rollback.tsx'

/** An act stays what it was when its dialog opened: the state behind it changes, not least by the act. */
export function OpenAct(props: OpenActProps) {
  const [asked] = useState(() => askedAct(props.state, props.asked))
  if (asked.kind === 'refused') {
    return (
      <Dialog title={asked.title} onClose={props.close}>
        <div>
          <p>{asked.why}</p>
        </div>
        <footer>
          <button type="button" class="button" onClick={props.close}>
            Close
          </button>
        </footer>
      </Dialog>
    )
  }
  const { act } = asked
  switch (act.do) {
    case 'promote':
    case 'release':
      return <Propose {...props} act={act} />
    case 'update':
      return act.environment === null ? <Deprecate {...props} /> : <Propose {...props} act={act} />
    case 'rollback':
      return <Rollback {...props} act={act} />
    case 'confirm':
      return <Confirm {...props} act={act} />
    case 'deprecate':
      return <Deprecate {...props} />
  }
}
