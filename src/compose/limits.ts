import type { Audit } from '../lib/domain/audit/audit.ts'
import { createFailedAttempts } from '../lib/domain/limits/failed-attempts.ts'
import { createRateLimits } from '../lib/domain/limits/rate-limits.ts'
import { createFair } from '../lib/concurrency/fair.ts'
import { createUsage } from '../lib/domain/limits/usage.ts'
import type { PortalOptions } from './options.ts'

/** A script that begins a project for each application of a team, or the tabs of all browsers of a person. */
const STREAMS_PER_PERSON_MAX = 100
/** An idle stream of a run or a page is a timer and a pending read. */
const IDLE_STREAMS_MAX = 10_000
const idleStreams = { permits: IDLE_STREAMS_MAX, perPerson: STREAMS_PER_PERSON_MAX }

/** The limits of requests, of failed attempts and of open streams. */
export function makeLimits({ database, clock, config }: PortalOptions, audit: Audit) {
  const limits = createRateLimits({ store: database.rateLimits, clock })
  const shared = { limits, audit }
  const ofSessions = { perMinute: config.FAILED_SIGN_INS_PER_MINUTE, target: 'session' }
  return {
    limits,
    failedSessions: {
      signIns: createFailedAttempts({
        ...shared,
        ...ofSessions,
        name: 'failed_sign_ins',
        action: 'session.sign_in',
      }),
      signOuts: createFailedAttempts({
        ...shared,
        ...ofSessions,
        name: 'failed_sign_outs',
        action: 'session.ended_by_provider',
      }),
    },
    failedGitSignIns: createFailedAttempts({
      ...shared,
      name: 'failed_git_sign_ins',
      perMinute: config.FAILED_SIGN_INS_PER_MINUTE,
      action: 'git.sign_in',
      target: 'git',
    }),
    failedWebhookCalls: createFailedAttempts({
      ...shared,
      name: 'failed_webhook_calls',
      perMinute: config.FAILED_WEBHOOK_CALLS_PER_MINUTE,
      action: 'catalog.refresh',
      target: 'catalog',
    }),
    usage: createUsage({
      ...shared,
      perMinute: {
        write: config.WRITES_PER_MINUTE,
        dry_run: config.DRY_RUNS_PER_MINUTE,
        validation: config.VALIDATIONS_PER_MINUTE,
        stream: config.STREAMS_PER_MINUTE,
        read: config.READS_PER_MINUTE,
      },
      personsPerAddress: config.LIMIT_PERSONS_PER_ADDRESS,
    }),
    runStreams: createFair({ queue: 'run_streams', ...idleStreams }),
    pageStreams: createFair({ queue: 'page_streams', ...idleStreams }),
  }
}
