import type { IconName } from './icons.ts'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle' | 'accent'

export interface Word {
  readonly tone: Tone
  readonly icon: IconName
  readonly label: string
}

/** The vocabulary of states: a word, an icon and a tone for each that the API knows. Never a colour alone. */
const WORDS: Readonly<Record<string, Word>> = {
  experimental: { tone: 'idle', icon: 'flask', label: 'Experimental' },
  development: { tone: 'idle', icon: 'hammer', label: 'Development' },
  staging: { tone: 'idle', icon: 'layers', label: 'Staging' },
  production: { tone: 'idle', icon: 'check', label: 'Production' },
  deprecated: { tone: 'idle', icon: 'box', label: 'Deprecated' },
  Available: { tone: 'ok', icon: 'check', label: 'Available' },
  Progressing: { tone: 'info', icon: 'arrows', label: 'Progressing' },
  Degraded: { tone: 'bad', icon: 'cross', label: 'Degraded' },
  Healthy: { tone: 'ok', icon: 'check', label: 'Healthy' },
  Unknown: { tone: 'idle', icon: 'dash', label: 'Unknown' },
  Unstable: { tone: 'warn', icon: 'warn', label: 'Unstable' },
  Suspended: { tone: 'warn', icon: 'pause', label: 'Suspended' },
  Idle: { tone: 'idle', icon: 'circle', label: 'Idle' },
  Paused: { tone: 'warn', icon: 'pause', label: 'Paused' },
  Ready: { tone: 'ok', icon: 'check', label: 'Ready' },
  NotReady: { tone: 'bad', icon: 'cross', label: 'Not ready' },
  Unreachable: { tone: 'bad', icon: 'cross', label: 'Unreachable' },
  waiting: { tone: 'idle', icon: 'circle', label: 'Waiting' },
  running: { tone: 'info', icon: 'arrows', label: 'Running' },
  in_progress: { tone: 'info', icon: 'arrows', label: 'Running' },
  complete: { tone: 'ok', icon: 'check', label: 'Complete' },
  skipped: { tone: 'idle', icon: 'circle', label: 'Skipped' },
  error: { tone: 'bad', icon: 'cross', label: 'Error' },
  warning: { tone: 'warn', icon: 'warn', label: 'Warning' },
  allowed: { tone: 'ok', icon: 'check', label: 'Allowed' },
  denied: { tone: 'warn', icon: 'cross', label: 'Denied' },
  started: { tone: 'info', icon: 'arrows', label: 'Under way' },
  done: { tone: 'ok', icon: 'check', label: 'Done' },
  failed: { tone: 'bad', icon: 'cross', label: 'Failed' },
  ScaledToZero: { tone: 'idle', icon: 'circle', label: 'Scaled to zero' },
}

/** A word that a newer server sends and this table lacks is shown as it is. */
export const wordOf = (key: string): Word =>
  Object.hasOwn(WORDS, key) && WORDS[key] !== undefined
    ? WORDS[key]
    : { tone: 'idle', icon: 'circle', label: key }

const KIND_ICONS: Readonly<Record<string, IconName>> = {
  component: 'component',
  api: 'api',
  resource: 'resource',
  system: 'system',
  domain: 'domain',
  group: 'group',
  user: 'user',
}

/** The kind may be a word of an address, such as `constructor`. */
export function kindIcon(kind: string): IconName {
  const name = kind.toLowerCase()
  return (Object.hasOwn(KIND_ICONS, name) ? KIND_ICONS[name] : undefined) ?? 'circle'
}

/** `1 problem`, `3 problems`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
