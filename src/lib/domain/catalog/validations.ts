import { createFair } from '../../concurrency/fair.ts'
import { err, ok, type Result } from '../../result.ts'
import { keyOf, type Person } from '../limits/person-key.ts'
import type { RateLimited } from '../limits/rate-limits.ts'
import type { CatalogParser } from './parser.ts'
import { validateFile, type Validation } from './validate.ts'

/** Bounds the bodies in memory: each has a place from its first byte on. */
const PLACES = 16
/** A file has at most about this time in the parser. */
const RETRY_AFTER_SECONDS = 1

/**
 * Validations that people ask for. They have a parser of their own, so that loads of the catalog never wait for a person, and few
 * places, of which one person can have only some.
 */
export interface Validations {
  /** Takes a place, for the body too. Beyond the places a request is refused at once. */
  enter(person: Person): Result<ValidationPlace, RateLimited>
  close(): void
}

export interface ValidationPlace extends Disposable {
  /** Parses in turn. A client that leaves while it waits is not waited for any more. */
  validate(file: Uint8Array, client: AbortSignal): Promise<Result<Validation, ValidationFailure>>
}

type ValidationFailure =
  | { readonly kind: 'client_left' }
  /** The parser has no thread. `reason` is for the log. */
  | { readonly kind: 'catalog_parser_failed'; readonly reason: string }

export function createValidations(parser: CatalogParser): Validations {
  const { inTurn: oneAtATime } = createFair({ queue: 'parser', permits: 1 })
  const places = createFair({ queue: 'validations', permits: PLACES })

  return {
    enter(person) {
      const leave = places.take(keyOf(person))
      if (leave === undefined) {
        return err({ kind: 'rate_limited', retryAfterSeconds: RETRY_AFTER_SECONDS })
      }
      return ok({
        async validate(file, client) {
          try {
            return ok(await oneAtATime(() => validateFile(parser, file), client))
          } catch (error) {
            if (client.aborted) return err({ kind: 'client_left' })
            return err({ kind: 'catalog_parser_failed', reason: String(error) })
          }
        },
        [Symbol.dispose]: leave,
      })
    },
    close: () => parser.close(),
  }
}
