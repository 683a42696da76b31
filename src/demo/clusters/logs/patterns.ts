import {
  json,
  type LineContext,
  log4j,
  logfmt,
  type LogPattern,
  request,
  tracing,
  website,
} from './log-pattern.ts'

const order = ({ int }: LineContext) => `ord_${int(48_000, 51_000)}`

/** Grows from line to line towards the limit at which the container is killed. */
const memory = ({ index }: LineContext) => ({
  rssMiB: Math.min(46 + index * 6, 120),
  limitMiB: 128,
})

/** By the name of the image; `/job` marks the image as it runs in a Job. */
const patterns: Readonly<Record<string, LogPattern>> = {
  'checkout-web': website(8080, ['/', '/basket', '/checkout/address', '/checkout/payment']),
  'payments-api': {
    boot: [
      json('info', 'starting payments-api'),
      json('info', 'connected to payments-db', ({ int }) => ({ pool: 4, tookMs: int(12, 60) })),
      json('info', 'listening on http://0.0.0.0:8080'),
      json('info', 'settlement import started: all of it at once'),
    ],
    steady: [
      json('info', 'payment captured', (context) => ({
        order: order(context),
        ...request(context),
      })),
      json('debug', 'settlement import keeps its rows', (context) => ({
        rows: 6_000 * (context.index + 1),
        ...memory(context),
      })),
      json('info', 'request handled', request),
    ],
    everyMs: 2_400,
    last: [
      json('warn', 'memory is nearly used up', () => ({ rssMiB: 123, limitMiB: 128 })),
      json('warn', 'settlement import: next batch of 25000 rows', () => ({ heldRows: 96_000 })),
      json('error', 'allocation failed, collecting garbage again', () => ({
        rssMiB: 127,
        limitMiB: 128,
      })),
    ],
  },
  'invoice-service': {
    boot: [
      logfmt('INFO', 'starting invoice-service'),
      logfmt('INFO', 'listening', () => 'addr=:8080'),
    ],
    steady: [
      logfmt(
        'INFO',
        'invoice rendered',
        ({ int }) =>
          `invoice=INV-2026-${int(10_000, 99_999)} pages=${int(1, 4)} took=${int(40, 400)}ms`,
      ),
      logfmt('INFO', 'mail handed over', ({ hex }) => `message=${hex(16)}`),
    ],
    everyMs: 6_000,
  },
  ledger: {
    boot: [
      logfmt('INFO', 'starting ledger'),
      logfmt('INFO', 'schema is current', () => 'version=218'),
    ],
    steady: [
      logfmt('INFO', 'entries booked', ({ int }) => `batch=${int(1, 40)} lag=${int(5, 900)}ms`),
      logfmt(
        'DEBUG',
        'offset committed',
        ({ int }) => `partition=${int(0, 11)} offset=${int(8_000_000, 9_000_000)}`,
      ),
    ],
    everyMs: 4_000,
  },
  'ledger/job': {
    boot: [logfmt('INFO', 'closing the day', () => 'currency=EUR')],
    steady: [
      logfmt(
        'INFO',
        'accounts closed',
        ({ int, index }) => `done=${(index + 1) * 1_250} open=${int(0, 12)}`,
      ),
    ],
    everyMs: 5_000,
    last: [logfmt('INFO', 'day closed', () => 'difference=0.00')],
  },
  'legacy-billing': {
    boot: [log4j('INFO', 'com.acme.billing.Main', () => 'Billing 3 on Java 17')],
    steady: [
      log4j(
        'INFO',
        'com.acme.billing.ContainerRun',
        ({ int }) => `customer ${int(100_000, 180_000)} billed, ${int(1, 9)} positions`,
      ),
    ],
    everyMs: 8_000,
  },
  'postgres-proxy': {
    boot: [tracing('INFO', 'postgres_proxy', () => 'version 2.15.1, listening on 127.0.0.1:5432')],
    steady: [
      tracing(
        'INFO',
        'postgres_proxy::pool',
        ({ int }) => `connection ${int(100, 9_999)} closed after ${int(1, 120)}s`,
      ),
      tracing('DEBUG', 'postgres_proxy::pool', ({ int }) => `idle=${int(0, 8)} busy=${int(0, 4)}`),
      tracing(
        'WARN',
        'postgres_proxy::tls',
        ({ int }) => `certificate is renewed in ${int(2, 9)} days`,
      ),
    ],
    everyMs: 15_000,
  },
  'tracking-web': website(8080, ['/', '/parcel/00340434161094042557', '/parcel/JJD000390007892']),
  'returns-portal': {
    ...website(8080, ['/healthz']),
    steady: [
      ({ time }) => `10.42.2.1 - - [${time}] "GET /readyz HTTP/1.1" 503 31 "-" "kube-probe/1.32"`,
    ],
    everyMs: 10_000,
  },
  'shipping-api': {
    boot: [json('info', 'starting shipping-api'), json('info', 'listening on http://0.0.0.0:8080')],
    steady: [
      json('info', 'parcel booked', (context) => ({
        carrier: context.pick(['DHX', 'NordPost', 'Velo']),
        ...request(context),
      })),
      json('info', 'rate quoted', request),
    ],
    everyMs: 4_500,
  },
  'label-printer': {
    boot: [logfmt('INFO', 'starting label-printer')],
    steady: [logfmt('INFO', 'label printed', ({ int }) => `station=${int(1, 14)}`)],
    everyMs: 9_000,
  },
  'wait-for-printers': {
    boot: [() => 'waiting for printers.acme.example:9100'],
    steady: [
      ({ index }) =>
        `printers.acme.example:9100 does not answer (attempt ${index + 1}), next try in 10s`,
    ],
    everyMs: 10_000,
  },
  'carrier-bridge': {
    boot: [
      log4j(
        'INFO',
        'com.acme.carrier.Bridge',
        () => 'polling sftp://files.carrier.example every 30s',
      ),
    ],
    steady: [
      log4j(
        'INFO',
        'com.acme.carrier.Bridge',
        ({ int }) => `${int(0, 6)} files sent, ${int(0, 3)} received`,
      ),
    ],
    everyMs: 30_000,
  },
}

const UNKNOWN_PROGRAM: LogPattern = {
  boot: [({ time }) => `${time} started`],
  steady: [({ time, index }) => `${time} still here (${index})`],
  everyMs: 10_000,
}

export function patternOf(image: string, isJob: boolean): LogPattern {
  const name = /[^/:]+(?=:[^/]*$|$)/.exec(image)?.[0] ?? ''
  const key = isJob ? `${name}/job` : name
  return (Object.hasOwn(patterns, key) ? patterns[key] : undefined) ?? UNKNOWN_PROGRAM
}
