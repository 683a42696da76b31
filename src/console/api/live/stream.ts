import { urlOf } from '../call.ts'
import { EVENT_NAMES, type TopicEvent } from './events.ts'
import type { StreamState } from './hub.ts'

const REOPEN_AFTER_MS = 3_000
const REOPEN_AFTER_MAX_MS = 30_000

export interface StreamOptions {
  readonly onEvent: (event: TopicEvent) => void
  readonly onState: (state: StreamState) => void
  /** The server refused the stream; perhaps the session has ended. */
  readonly onRefused: () => void
}

/** The browser's one event stream. It is opened anew when its topics change, and after each loss. */
export function createStream({ onEvent, onState, onRefused }: StreamOptions) {
  let source: EventSource | undefined
  let lastId = ''
  let reopenAfter = REOPEN_AFTER_MS
  let timer: ReturnType<typeof setTimeout> | undefined

  function open(topics: readonly string[]) {
    clearTimeout(timer)
    source?.close()
    source = undefined
    if (topics.length === 0) return
    const opened = new EventSource(urlOf('/api/v1/events', { query: { topics, after: lastId } }))
    source = opened
    opened.addEventListener('open', () => {
      reopenAfter = REOPEN_AFTER_MS
      onState('live')
    })
    opened.addEventListener('error', () => {
      onState('lost')
      if (opened.readyState !== EventSource.CLOSED) return
      onRefused()
      timer = setTimeout(() => open(topics), reopenAfter)
      reopenAfter = Math.min(reopenAfter * 2, REOPEN_AFTER_MAX_MS)
    })
    for (const name of EVENT_NAMES) {
      opened.addEventListener(name, (message: MessageEvent<string>) => {
        lastId = message.lastEventId
        onEvent(topicEvent(message.data))
      })
    }
  }

  return { open }
}

/** The server writes this form, and its tests check it against the document of the API. */
function topicEvent(data: string): TopicEvent {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(data) as TopicEvent
}
