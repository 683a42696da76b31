/** One run of a container from its start to its end. Each run has its own log. */
export interface ContainerRun {
  readonly id: string
  readonly image: string
  readonly isJob: boolean
  readonly startedAt: number
  readonly endedAt: number | undefined
}

export interface LogLine {
  readonly at: number
  readonly text: string
}

/**
 * The lines that a container logs in one run. In a line `{time}` is the time, `{n}` its position among the lines of its part, `{3-180}` a
 * random number, `{hex12}` random digits and `{a|b}` one of the choices.
 */
interface Program {
  readonly boot: readonly string[]
  /** One of these at random, about every `everyMs`. */
  readonly steady: readonly [string, ...string[]]
  readonly everyMs: number
  /** Logged before the container ends by itself. */
  readonly last?: readonly string[]
}

/** Older lines count as rotated away. */
const LINES_MAX = 3_000
const BOOT_MS = 180
const LAST_MS = 45
/** Maximum delay of a line, as a fraction of the interval between lines. */
const JITTER = 0.8

/** A line of pino, as services in TypeScript log. */
const json = (level: string, message: string, rest = '') =>
  `{"level":"${level}","time":"{time}",${rest === '' ? '' : `${rest},`}"msg":"${message}"}`
const REQUEST = '"requestId":"{hex12}","durationMs":{3-180}'
/** A line of `log/slog`, as programs in Go log. */
const slog = (level: string, message: string, rest = '') =>
  `time={time} level=${level} msg="${message}" ${rest}`.trimEnd()
/** A line of Log4j, as programs in Java log. */
const log4j = (logger: string, message: string) =>
  `{time} INFO  [main] com.acme.${logger} - ${message}`
/** A line of `tracing`, as programs in Rust log: with colours, also where no terminal is. */
const tracing = (colour: number, level: string, target: string, message: string) =>
  `\u001b[2m{time}\u001b[0m \u001b[${colour}m${level}\u001b[0m \u001b[2m${target}:\u001b[0m ${message}`

/** An nginx that serves a built website. */
const website = (pages: string): Program => ({
  boot: [
    '/docker-entrypoint.sh: Configuration complete; ready for start up',
    'nginx: listening on 0.0.0.0:8080',
  ],
  steady: [
    `10.42.{1-3}.{2-200} - - [{time}] "GET {${pages}} HTTP/1.1" {200|200|200|304|404} {400-48000} "-" "Mozilla/5.0 ({Macintosh|X11; Linux x86_64|iPhone})"`,
    '10.42.{1-3}.{2-200} - - [{time}] "GET /assets/app.{hex8}.js HTTP/1.1" {200|304} {400-48000} "-" "Mozilla/5.0 (iPhone)"',
  ],
  everyMs: 3_500,
})

/** By the name of the image; `/job` marks the image as it runs in a Job. */
const programs: Readonly<Record<string, Program>> = {
  'checkout-web': website('/|/basket|/checkout/address|/checkout/payment'),
  'tracking-web': website('/|/parcel/00340434161094042557|/parcel/JJD000390007892'),
  'returns-portal': {
    ...website('/healthz'),
    steady: ['10.42.2.1 - - [{time}] "GET /readyz HTTP/1.1" 503 31 "-" "kube-probe/1.32"'],
    everyMs: 10_000,
  },
  'payments-api': {
    boot: [
      json('info', 'starting payments-api'),
      json('info', 'connected to payments-db', '"pool":4,"tookMs":{12-60}'),
      json('info', 'listening on http://0.0.0.0:8080'),
      json('info', 'settlement import started: all of it at once'),
    ],
    steady: [
      json('info', 'payment captured', `"order":"ord_{48000-51000}",${REQUEST}`),
      json('debug', 'settlement import keeps its rows', '"batch":{n},"limitMiB":128'),
      json('info', 'request handled', REQUEST),
    ],
    everyMs: 2_400,
    last: [
      json('warn', 'memory is nearly used up', '"rssMiB":123,"limitMiB":128'),
      json('warn', 'settlement import: next batch of 25000 rows', '"heldRows":96000'),
      json('error', 'allocation failed, collecting garbage again', '"rssMiB":127,"limitMiB":128'),
    ],
  },
  'invoice-service': {
    boot: [slog('INFO', 'starting invoice-service'), slog('INFO', 'listening', 'addr=:8080')],
    steady: [
      slog('INFO', 'invoice rendered', 'invoice=INV-2026-{10000-99999} took={40-400}ms'),
      slog('INFO', 'mail handed over', 'message={hex16}'),
    ],
    everyMs: 6_000,
  },
  ledger: {
    boot: [slog('INFO', 'starting ledger'), slog('INFO', 'schema is current', 'version=218')],
    steady: [
      slog('INFO', 'entries booked', 'batch={1-40} lag={5-900}ms'),
      slog('DEBUG', 'offset committed', 'partition={0-11} offset={8000000-9000000}'),
    ],
    everyMs: 4_000,
  },
  'ledger/job': {
    boot: [slog('INFO', 'closing the day', 'currency=EUR')],
    steady: [slog('INFO', 'accounts closed', 'batch={n} open={0-12}')],
    everyMs: 5_000,
    last: [slog('INFO', 'day closed', 'difference=0.00')],
  },
  'legacy-billing': {
    boot: [log4j('billing.Main', 'Billing 3 on Java 17')],
    steady: [log4j('billing.Run', 'customer {100000-180000} billed, {1-9} positions')],
    everyMs: 8_000,
  },
  'postgres-proxy': {
    boot: [tracing(32, ' INFO', 'postgres_proxy', 'version 2.15.1, listening on 127.0.0.1:5432')],
    steady: [
      tracing(32, ' INFO', 'postgres_proxy::pool', 'connection {100-9999} closed after {1-120}s'),
      tracing(34, 'DEBUG', 'postgres_proxy::pool', 'idle={0-8} busy={0-4}'),
      tracing(33, ' WARN', 'postgres_proxy::tls', 'certificate is renewed in {2-9} days'),
    ],
    everyMs: 15_000,
  },
  'shipping-api': {
    boot: [json('info', 'starting shipping-api'), json('info', 'listening on http://0.0.0.0:8080')],
    steady: [
      json('info', 'parcel booked', `"carrier":"{DHX|NordPost|Velo}",${REQUEST}`),
      json('info', 'rate quoted', REQUEST),
    ],
    everyMs: 4_500,
  },
  'label-printer': {
    boot: [slog('INFO', 'starting label-printer')],
    steady: [slog('INFO', 'label printed', 'station={1-14}')],
    everyMs: 9_000,
  },
  'wait-for-printers': {
    boot: ['waiting for printers.acme.example:9100'],
    steady: ['printers.acme.example:9100 does not answer (attempt {n}), next try in 10s'],
    everyMs: 10_000,
  },
  'carrier-bridge': {
    boot: [log4j('carrier.Bridge', 'polling sftp://files.carrier.example every 30s')],
    steady: [log4j('carrier.Bridge', '{0-6} files sent, {0-3} received')],
    everyMs: 30_000,
  },
}

const UNKNOWN: Program = {
  boot: ['{time} started'],
  steady: ['{time} still here ({n})'],
  everyMs: 10_000,
}

function programOf({ image, isJob }: ContainerRun): Program {
  const name = /[^/:]+(?=:[^/]*$|$)/.exec(image)?.[0] ?? ''
  const key = isJob ? `${name}/job` : name
  return (Object.hasOwn(programs, key) ? programs[key] : undefined) ?? UNKNOWN
}

/** A random integer below `limit`, the same for the same seed. */
const random = (seed: string, limit: number): number => Bun.hash.xxHash32(seed) % limit

function render(template: string, seed: string, at: number, index: number): LogLine {
  let part = 0
  const text = template.replaceAll(/\{([^{}"]+)\}/g, (_, slot: string) => {
    const own = `${seed}/${part++}`
    if (slot === 'time') return new Date(at).toISOString()
    if (slot === 'n') return String(index + 1)
    const [, low, high] = /^(\d+)-(\d+)$/.exec(slot) ?? []
    if (low !== undefined) return String(Number(low) + random(own, Number(high) - Number(low) + 1))
    const [, digits] = /^hex(\d+)$/.exec(slot) ?? []
    if (digits !== undefined) {
      return Bun.hash.xxHash64(own).toString(16).padStart(16, '0').slice(0, Number(digits))
    }
    const choices = slot.split('|')
    return choices[random(own, choices.length)] ?? ''
  })
  return { at, text }
}

/** The lines of a run after `from` and up to `until`. Lines are not stored: each is derived from its run and index. */
export function linesOf(run: ContainerRun, from: number, until: number): readonly LogLine[] {
  const { boot, steady, everyMs, last = [] } = programOf(run)
  const begins = run.startedAt + boot.length * BOOT_MS
  const ends = (run.endedAt ?? Infinity) - last.length * LAST_MS
  const lines = boot.map((line, index) =>
    render(line, `${run.id}/boot/${index}`, run.startedAt + index * BOOT_MS, index),
  )
  const newest = Math.floor((Math.min(until, ends) - begins) / everyMs)
  const oldest = Math.max(Math.floor((from - begins) / everyMs) - 1, newest - LINES_MAX, 0)
  for (let index = oldest; index <= newest; index++) {
    const seed = `${run.id}/${index}`
    const at = begins + Math.floor((index + (random(seed, 101) / 100) * JITTER) * everyMs)
    const template = steady[random(`${seed}/turn`, steady.length)] ?? steady[0]
    if (at < ends) lines.push(render(template, seed, at, index))
  }
  for (const [index, line] of (run.endedAt === undefined ? [] : last).entries()) {
    lines.push(render(line, `${run.id}/last/${index}`, ends + (index + 1) * LAST_MS, index))
  }
  return lines.filter(({ at }) => at > from && at <= until).slice(-LINES_MAX)
}
