import type { Chances } from './random.ts'

/** What a line is made of besides chance. */
export interface Moment extends Chances {
  /** RFC 3339 with milliseconds. */
  readonly time: string
  /** Counted from the first line of its part. */
  readonly index: number
}

export type Line = (moment: Moment) => string

/** What a container writes in one run. */
export interface Story {
  readonly boot: readonly Line[]
  /** One of these again and again. */
  readonly steady: readonly [Line, ...Line[]]
  readonly everyMs: number
  /** Before it ends by itself. */
  readonly last: readonly Line[]
}

/** A line of pino: what services in TypeScript write. */
export const json =
  (
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    rest: (moment: Moment) => Readonly<Record<string, unknown>> = () => ({}),
  ): Line =>
  (moment) =>
    JSON.stringify({ level, time: moment.time, ...rest(moment), msg: message })

/** A line of `log/slog`: what programs in Go write. */
export const logfmt =
  (
    level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR',
    message: string,
    rest: (moment: Moment) => string = () => '',
  ): Line =>
  (moment) =>
    `time=${moment.time} level=${level} msg="${message}" ${rest(moment)}`.trimEnd()

/** A line of Log4j: what programs in Java write. */
export const log4j =
  (level: 'INFO' | 'WARN' | 'ERROR', logger: string, message: (moment: Moment) => string): Line =>
  (moment) =>
    `${moment.time.replace('T', ' ').replace('Z', '')} ${level.padEnd(5)} [main] ${logger} - ${message(moment)}`

/** A line of nginx in the combined format. */
const access =
  (path: (moment: Moment) => string): Line =>
  (moment) => {
    const { int, pick, time } = moment
    const client = `10.42.${int(1, 3)}.${int(2, 200)}`
    const agent = pick([
      'Mozilla/5.0 (Macintosh)',
      'Mozilla/5.0 (X11; Linux x86_64)',
      'Mozilla/5.0 (iPhone)',
    ])
    return `${client} - - [${time}] "GET ${path(moment)} HTTP/1.1" ${pick([200, 200, 200, 200, 304, 404])} ${int(400, 48_000)} "-" "${agent}"`
  }

/** What a handled request leaves behind. */
export const request = ({ int, hex }: Moment) => ({ requestId: hex(12), durationMs: int(3, 180) })

/** An nginx that serves what was built. */
export const website = (port: number, pages: readonly [string, ...string[]]): Story => ({
  boot: [
    () => '/docker-entrypoint.sh: Configuration complete; ready for start up',
    () => `nginx: listening on 0.0.0.0:${port}`,
  ],
  steady: [access(({ pick }) => pick(pages)), access(({ hex }) => `/assets/app.${hex(8)}.js`)],
  everyMs: 3_500,
  last: [],
})
