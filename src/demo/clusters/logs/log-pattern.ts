import type { Random } from './random.ts'

/** The values that a line is rendered with. */
export interface LineContext extends Random {
  /** RFC 3339 with milliseconds. */
  readonly time: string
  /** Position among the lines of its part: `boot`, `steady` or `last`. */
  readonly index: number
}

export type LineTemplate = (context: LineContext) => string

/** The lines that a container logs in one run. */
export interface LogPattern {
  readonly boot: readonly LineTemplate[]
  /** One of these at random, about every `everyMs`. */
  readonly steady: readonly [LineTemplate, ...LineTemplate[]]
  readonly everyMs: number
  /** Logged before the container ends by itself. */
  readonly last?: readonly LineTemplate[]
}

/** A line of pino, as services in TypeScript log. */
export const json =
  (
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    rest: (context: LineContext) => Readonly<Record<string, unknown>> = () => ({}),
  ): LineTemplate =>
  (context) =>
    JSON.stringify({ level, time: context.time, ...rest(context), msg: message })

/** A line of `log/slog`, as programs in Go log. */
export const logfmt =
  (
    level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR',
    message: string,
    rest: (context: LineContext) => string = () => '',
  ): LineTemplate =>
  (context) =>
    `time=${context.time} level=${level} msg="${message}" ${rest(context)}`.trimEnd()

/** A line of Log4j, as programs in Java log. */
export const log4j =
  (
    level: 'INFO' | 'WARN' | 'ERROR',
    logger: string,
    message: (context: LineContext) => string,
  ): LineTemplate =>
  (context) =>
    `${context.time.replace('T', ' ').replace('Z', '')} ${level.padEnd(5)} [main] ${logger} - ${message(context)}`

const TRACING_COLOURS = { DEBUG: 34, INFO: 32, WARN: 33 } as const

/** A line of `tracing`, as programs in Rust log: with colours, also where no terminal is. */
export const tracing =
  (
    level: keyof typeof TRACING_COLOURS,
    target: string,
    message: (context: LineContext) => string,
  ): LineTemplate =>
  (context) => {
    const dim = (text: string) => `\u001b[2m${text}\u001b[0m`
    const coloured = `\u001b[${TRACING_COLOURS[level]}m${level.padStart(5)}\u001b[0m`
    return `${dim(context.time)} ${coloured} ${dim(`${target}:`)} ${message(context)}`
  }

/** A line of nginx in the combined format. */
const access =
  (path: (context: LineContext) => string): LineTemplate =>
  (context) => {
    const { int, pick, time } = context
    const client = `10.42.${int(1, 3)}.${int(2, 200)}`
    const agent = pick([
      'Mozilla/5.0 (Macintosh)',
      'Mozilla/5.0 (X11; Linux x86_64)',
      'Mozilla/5.0 (iPhone)',
    ])
    return `${client} - - [${time}] "GET ${path(context)} HTTP/1.1" ${pick([200, 200, 200, 200, 304, 404])} ${int(400, 48_000)} "-" "${agent}"`
  }

/** The fields of a handled request. */
export const request = ({ int, hex }: LineContext) => ({
  requestId: hex(12),
  durationMs: int(3, 180),
})

/** An nginx that serves a built website. */
export const website = (port: number, pages: readonly [string, ...string[]]): LogPattern => ({
  boot: [
    () => '/docker-entrypoint.sh: Configuration complete; ready for start up',
    () => `nginx: listening on 0.0.0.0:${port}`,
  ],
  steady: [access(({ pick }) => pick(pages)), access(({ hex }) => `/assets/app.${hex(8)}.js`)],
  everyMs: 3_500,
})
