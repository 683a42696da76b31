import { err, ok, type Result } from '../../result.ts'
import type { Asking } from './access.ts'

export interface TooManyStreams {
  readonly kind: 'too_many_streams'
}

export interface OpenStream {
  /** What was asked. Its signal also ends when the person may not see the cluster any more. */
  readonly asking: Asking
  /** Gives the place back. May be called more than once. */
  readonly end: () => void
}

export interface OpenStreamsOptions {
  /** Of everybody together. */
  readonly all: number
  readonly perPerson?: number
  /** Whether who opened a stream might open it now. */
  readonly mayGoOn: (asking: Asking) => Promise<boolean>
  readonly lookEveryMs?: number
}

/** Several tabs of several pods each. */
const PER_PERSON = 20
/** How long somebody who signed out, or was put out of a group, sees on. */
const LOOK_EVERY_MS = 10_000

export type OpenStreams = ReturnType<typeof createOpenStreams>

/** The streams that are open. Each holds a connection to an API server, and a right that may be withdrawn. */
export function createOpenStreams({
  all,
  perPerson = PER_PERSON,
  mayGoOn,
  lookEveryMs = LOOK_EVERY_MS,
}: OpenStreamsOptions) {
  const open = new Set<Place>()
  let timer: Timer | undefined

  async function look(): Promise<void> {
    timer = undefined
    for (const same of Map.groupBy(open, ({ right }) => right).values()) {
      const [first] = same
      if (first === undefined || (await mayGoOn(first.asking))) continue
      for (const place of same) place.withdraw()
    }
    if (open.size > 0) lookLater()
  }

  /** As long as there is something to look at. */
  function lookLater(): void {
    timer ??= setTimeout(() => void look(), lookEveryMs).unref()
  }

  function leave(place: Place): void {
    open.delete(place)
    if (open.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    begin(asked: Asking): Result<OpenStream, TooManyStreams> {
      const person = personOf(asked)
      const theirs = [...open].filter((place) => place.person === person)
      if (theirs.length >= perPerson || open.size >= all) return err({ kind: 'too_many_streams' })
      const withdrawn = new AbortController()
      const asking = { ...asked, signal: AbortSignal.any([asked.signal, withdrawn.signal]) }
      const place = { person, right: rightOf(asked), asking, withdraw: () => withdrawn.abort() }
      open.add(place)
      lookLater()
      return ok({ asking, end: () => leave(place) })
    },
  }
}

interface Place {
  readonly person: string
  readonly right: string
  readonly asking: Asking
  readonly withdraw: () => void
}

const personOf = ({ session: { principal } }: Asking): string =>
  `${principal.issuer} ${principal.subject}`

const rightOf = ({ session, cluster }: Asking): string => `${session.idHash} ${cluster}`
