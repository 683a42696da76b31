import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../../ports/identity.ts'

export interface TooManyStreams {
  readonly kind: 'too_many_streams'
}

/** Several tabs of several pods each. */
const PER_PERSON = 20

export type StreamLimit = ReturnType<typeof createStreamLimit>

/** Counts streams that are open: each holds a connection to an API server. */
export function createStreamLimit({
  perPerson = PER_PERSON,
  all,
}: {
  readonly perPerson?: number
  readonly all: number
}) {
  const open = new Map<string, number>()
  let total = 0

  return {
    /** Gives back how to end it, which may be called more than once. */
    begin({ issuer, subject }: Principal): Result<() => void, TooManyStreams> {
      const person = `${issuer} ${subject}`
      const count = open.get(person) ?? 0
      if (count >= perPerson || total >= all) return err({ kind: 'too_many_streams' })
      open.set(person, count + 1)
      total++
      let ended = false
      return ok(() => {
        if (ended) return
        ended = true
        total--
        const left = (open.get(person) ?? 1) - 1
        if (left === 0) open.delete(person)
        else open.set(person, left)
      })
    },
  }
}
