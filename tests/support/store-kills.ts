import { expect } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type HttpProxy, startHttpProxy } from '#tests/peers/http-proxy.ts'
import type { OpenBao } from '#tests/peers/openbao.ts'
import { entriesOf, type KeptEntry } from './kept-entries.ts'
import { bundle, startMortal } from './mortal-process.ts'

const AT_ONCE = 2

/** A moment to die at, counted from 1 in each process. `expectSurvival` kills between effects of other kinds. */
export type Death =
  /** When a request to the store arrives there: it has no effect. */
  | { readonly before: number }
  /** When the store has answered a request, and the answer has not arrived. */
  | { readonly answered: number }

export interface StoreKills {
  readonly openbao: OpenBao
  /** Lets the program in, with rights below any prefix of one folder. */
  readonly login: Readonly<Record<string, string>>
  /** See `Kills`. It opens the secret store that its environment names, and may prepare entries there. */
  readonly program: string
  readonly answer: string
  /** Fills a data directory before the first start. */
  readonly prepare: (directory: string) => Promise<void>
  /** The state of a data directory, in comparable form. */
  readonly census: (directory: string) => Promise<unknown>
  readonly expected: unknown
  /** The runs of a data directory: `run` in the labels of `entries` is their place, from 1. */
  readonly runIds?: (directory: string) => readonly string[]
  /** Writes entries below a prefix before the first start. */
  readonly seed?: (prefix: string) => Promise<void>
  /** All entries below a prefix in the end. */
  readonly entries: readonly KeptEntry[]
  /** The requests of an uninterrupted program, as `METHOD path` below the prefix. Exact, so that none is added unnoticed. */
  readonly requests: readonly string[]
  /** Once before and after each request, if nothing else is said. */
  readonly deaths?: readonly (readonly Death[])[]
}

/** Kills a program between requests to a real store, and expects what an uninterrupted one leaves behind. */
export async function expectStoreSurvival(kills: StoreKills): Promise<void> {
  const { openbao, prepare, census, answer } = kills
  const root = await mkdtemp(join(tmpdir(), 'portico-store-kills-'))
  const origin = join(root, 'origin')
  let program = ''
  let tries = 0

  /** The program dies each of the deaths, one after the other, on its own copy and its own entries, and then may live. */
  async function attempt(deaths: readonly Death[]) {
    const name = `${basename(root)}-${(tries += 1)}`
    const directory = join(root, name)
    await cp(origin, directory, { recursive: true })
    await kills.seed?.(`${name}/`)
    const start = async (death?: Death) => {
      let kill = () => Promise.resolve()
      using way = proxyOfDeath(openbao.url, death, () => kill())
      const variables = { ...kills.login, VAULT_ADDR: way.url, VAULT_PREFIX: `${name}/` }
      const started = startMortal({ program, directory, variables })
      kill = () => started.kill()
      const ended = await started.ended
      return { ...ended, requests: requestsOf(way, name) }
    }
    const ends = []
    for (const death of deaths) ends.push(await start(death))
    const last = await start()
    const runIds = kills.runIds?.(directory) ?? []
    const kept = await entriesOf(openbao, `${name}/`)
    const left = { files: await census(directory), entries: kept.map(withRunOf(runIds)) }
    await rm(directory, { recursive: true, force: true })
    return { ends, last, left }
  }

  try {
    program = await bundle(kills.program, join(root, 'program'))
    await prepare(origin)
    const { last, left } = await attempt([])
    const expected = { files: kills.expected, entries: [...kills.entries] }
    expect({ last, left }).toStrictEqual({
      last: {
        stdout: expect.stringMatching(new RegExp(`^\\d+ ${answer}$`)),
        stderr: '',
        signal: null,
        requests: [...kills.requests],
      },
      left: expected,
    })

    const everyDeath = kills.requests.flatMap((_, at) => [
      [{ before: at + 1 }],
      [{ answered: at + 1 }],
    ])
    const queue = [...(kills.deaths ?? everyDeath)]
    const failures: unknown[] = []
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (let deaths = queue.shift(); deaths !== undefined; deaths = queue.shift()) {
        const tried = await attempt(deaths)
        const [first] = tried.ends
        const isFine =
          (first === undefined || (first.signal === 'SIGKILL' && first.stderr === '')) &&
          tried.last.stdout.endsWith(` ${answer}`) &&
          Bun.deepEquals(tried.left, expected)
        if (!isFine) failures.push({ deaths, ...tried })
      }
    })
    await Promise.all(workers)
    expect(failures).toStrictEqual([])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

function proxyOfDeath(
  target: string,
  death: Death | undefined,
  kill: () => Promise<void>,
): HttpProxy {
  return startHttpProxy(target, async (_request, forward, index) => {
    if (death !== undefined && 'before' in death && index + 1 === death.before) {
      await kill()
      return new Response()
    }
    const answered = await forward()
    if (death !== undefined && 'answered' in death && index + 1 === death.answered) await kill()
    return answered
  })
}

const requestsOf = (way: HttpProxy, name: string): readonly string[] =>
  way.take().map((line) => line.replace('/v1/', '').replace(`/${name}/`, '/'))

const withRunOf =
  (runIds: readonly string[]) =>
  ({ labels, ...entry }: KeptEntry): KeptEntry => ({
    ...entry,
    labels:
      labels?.['run'] === undefined
        ? labels
        : { ...labels, run: String(runIds.indexOf(labels['run']) + 1) },
  })
