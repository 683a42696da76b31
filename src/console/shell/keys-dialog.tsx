import type { ComponentChildren } from 'preact'
import { Dialog } from '../ui/dialog.tsx'
import { areKeysOn, COMMAND_KEY, switchKeys } from './keyboard.ts'
import { KEYS } from './keys.ts'
import { closeOverlay } from './overlay.ts'
import { JUMP } from './palette/palette.tsx'

/** All keys, and the switch for those that are single. */
export function KeysDialog() {
  return (
    <Dialog title="Keys" onClose={closeOverlay}>
      <div>
        <dl class="keys">
          <Line keys={[`${COMMAND_KEY} K`]}>{JUMP}</Line>
          <Line keys={['Enter']}>Open the row</Line>
          <Line keys={['Esc']}>Clear the search, close a dialog</Line>
          {KEYS.map(({ keys, label }) => (
            <Line key={label} keys={keys} between="then">
              {label}
            </Line>
          ))}
        </dl>
        <label class="option">
          <input
            type="checkbox"
            role="switch"
            checked={areKeysOn}
            aria-checked={areKeysOn}
            onChange={(event) => switchKeys(event.currentTarget.checked)}
          />
          Shortcuts of single keys, such as <kbd>j</kbd>
        </label>
      </div>
    </Dialog>
  )
}

interface LineProps {
  readonly keys: readonly string[]
  readonly between?: string
  readonly children: ComponentChildren
}

const Line = ({ keys, between, children }: LineProps) => (
  <div>
    <dt>{children}</dt>
    <dd>
      {keys.map((key, at) => (
        <span key={key}>
          {at > 0 && ` ${between} `}
          <kbd>{key}</kbd>
        </span>
      ))}
    </dd>
  </div>
)
