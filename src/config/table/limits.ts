import { integer } from '../../lib/settings/parsers.ts'
import { setting } from '../../lib/settings/setting.ts'

export const limits = {
  FAILED_SIGN_INS_PER_MINUTE: setting({
    description:
      'Failed sign-ins per minute and client address (IPv6: /64 network); further failures are answered 429, and share one audit row a minute. A successful sign-in is never refused. The same number of logout tokens that are not obeyed have audit rows of their own',
    fallback: '10',
    parse: integer(1, 100_000),
  }),
  FAILED_WEBHOOK_CALLS_PER_MINUTE: setting({
    description:
      'Webhook calls without a valid token per minute and client address (IPv6: /64 network); further ones are answered 429. A valid call is never refused',
    fallback: '60',
    parse: integer(1, 100_000),
  }),
  WRITES_PER_MINUTE: setting({
    description:
      'Writing requests (projects and their retries, promotions, confirmations, restarts, ended sessions, pushes by the command line) per minute and person, refused ones included; further ones are answered 429',
    fallback: '120',
    parse: integer(1, 100_000),
  }),
  DRY_RUNS_PER_MINUTE: setting({
    description:
      'Previews of projects and promotions (`dryRun=true`) per minute and person; further ones are answered 429',
    fallback: '240',
    parse: integer(1, 100_000),
  }),
  VALIDATIONS_PER_MINUTE: setting({
    description: 'Checks of catalog files per minute and person; further ones are answered 429',
    fallback: '120',
    parse: integer(1, 100_000),
  }),
  STREAMS_PER_MINUTE: setting({
    description:
      'Streams and logs that a person opens per minute; further ones are answered 429. In a stream of several topics each run and each list of a cluster counts too',
    fallback: '240',
    parse: integer(1, 100_000),
  }),
  READS_PER_MINUTE: setting({
    description:
      'Reads that git or a cluster answers (promotion states, histories, pods, deployments, events, namespaces) per minute, person and replica; further ones are answered 429',
    fallback: '1200',
    parse: integer(1, 1_000_000),
  }),
  LIMIT_PERSONS_PER_ADDRESS: setting({
    description:
      'A client address (IPv6: /64 network) may do as much per minute as this number of persons. Raise it if everybody comes from one address',
    fallback: '20',
    parse: integer(1, 10_000),
  }),
  REQUESTS_IN_FLIGHT_MAX: setting({
    description:
      'Requests of all clients that the process works on at a time; others wait for at most five seconds, and are then answered 503. One person gets at most a sixteenth, and at least two. Probes, open streams and requests that wait for another system do not count',
    fallback: '32',
    parse: integer(8, 10_000),
  }),
  EVENT_LOOP_LAG_MAX_MS: setting({
    description:
      'How late the process may be with its work, in milliseconds, before it takes fewer requests at a time',
    fallback: '50',
    parse: integer(1, 10_000),
  }),
} as const
