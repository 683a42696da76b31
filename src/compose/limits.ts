import type { Audit } from '../lib/domain/audit/audit.ts'
import { createFailedAttempts } from '../lib/domain/limits/failed-attempts.ts'
import { createRateLimits } from '../lib/domain/limits/rate-limits.ts'
import { createFair } from '../lib/concurrency/fair.ts'
import { createUsage } from '../lib/domain/limits/usage.ts'
import type { PortalOptions } from './options.ts'

/** Limits of one grant: enough for an agent at work, too few for one in a loop. */
const AGENT_READS_PER_MINUTE = 60
const AGENT_WRITES_PER_MINUTE = 10
const AGENTS_MAX = 20_000
/** A script that begins a project for each application of a team, or the tabs of all browsers of a person. */
const STREAMS_PER_PERSON_MAX = 100
/** An idle stream of a run or a page is a timer and a pending read. */
const IDLE_STREAMS_MAX = 10_000
const idleStreams = { permits: IDLE_STREAMS_MAX, perPerson: STREAMS_PER_PERSON_MAX }

/** The limits of requests, of failed attempts and of open streams. */
export function makeLimits({ database, clock, config }: PortalOptions, audit: Audit) {
  const limits = createRateLimits(database.rateLimits, clock)
  const shared = { limits, audit }
  /** An agent in a loop is one audit row a minute, like any other flood. */
  const agentLimit = (name: string, perMinute: number, isLocal: boolean) =>
    limits.limit({
      name,
      perMinute,
      isLocal,
      subjectsMax: AGENTS_MAX,
      async onExceeded({ subject, refused, until }) {
        await audit.record(null, {
          action: `limit.${name}`,
          target: subject === null ? 'grants' : `grant/${subject}`,
          result: 'denied',
          code: 'rate_limited',
          requestId: null,
          address: null,
          details: { refused, until: new Date(until).toISOString() },
        })
      },
    })
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
    failedTokens: createFailedAttempts({
      ...shared,
      name: 'failed_tokens',
      perMinute: config.FAILED_SIGN_INS_PER_MINUTE,
      action: 'grant.token',
      target: 'grants',
    }),
    failedWebhookCalls: createFailedAttempts({
      ...shared,
      name: 'failed_webhook_calls',
      perMinute: config.FAILED_WEBHOOK_CALLS_PER_MINUTE,
      action: 'catalog.refresh',
      target: 'catalog',
    }),
    usage: createUsage(
      limits,
      audit,
      {
        write: config.WRITES_PER_MINUTE,
        dry_run: config.DRY_RUNS_PER_MINUTE,
        validation: config.VALIDATIONS_PER_MINUTE,
        stream: config.STREAMS_PER_MINUTE,
        read: config.READS_PER_MINUTE,
      },
      config.LIMIT_PERSONS_PER_ADDRESS,
    ),
    agentUsage: {
      read: agentLimit('agent_reads', AGENT_READS_PER_MINUTE, true),
      write: agentLimit('agent_writes', AGENT_WRITES_PER_MINUTE, false),
    },
    runStreams: createFair({ queue: 'run_streams', ...idleStreams }),
    pageStreams: createFair({ queue: 'page_streams', ...idleStreams }),
  }
}
