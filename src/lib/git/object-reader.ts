import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { ObjectId } from '../names.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { complaintOf, EMPTY_TREE, hostError, NO_OBJECT, type RunningGit, startGit } from './git.ts'

const PROCESSES_MAX = 64
const IDLE_MS = 60_000
/** Git keeps deleted packs open, remembers each commit that it resolved, and reads its configuration once. */
const LIFETIME_MS = 10 * 60_000
const DEADLINE_MS = 30_000
/** Requests that git has and has not answered. */
const SENT_MAX = 8
const NAME_LENGTH_MAX = 4_096
const COMMAND = ['cat-file', '--batch-command', '--buffer']
const LINE_FEED = 0x0a
const NOTHING = new Uint8Array()

export interface ReadRequest {
  /** Type and size of each object, or its bytes too. Requests are answered one after the other: each should be small. */
  readonly command: 'info' | 'contents'
  readonly names: readonly string[]
  /** A larger object counts as damaged, and is unpacked nevertheless: ask for sizes first. */
  readonly bytesMax?: number
}

export interface ReadObject {
  readonly id: ObjectId
  readonly type: string
  readonly sizeBytes: number
  /** As git gave them, not checked against the id. Empty for `info`. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** In the order of the names. `null`: missing, ambiguous or damaged. */
export type ReadAnswers = GitResult<readonly (ReadObject | null)[]>

interface OpenRequest extends ReadRequest {
  readonly answers: (ReadObject | null)[]
  readonly settle: (outcome: ReadAnswers) => void
  /** Git ended at its next object once, and did not say that it was because of it. */
  isRetried: boolean
}

interface LivingGit {
  readonly git: RunningGit<'pipe'>
  readonly since: number
  /** It has answered about the empty tree: git can work on the repository at all. */
  isProven: boolean
}

/** Asks one living git process per repository. It ends when it is idle, and another one starts when it has died. */
export function createObjectReader({
  idleMs = IDLE_MS,
  deadlineMs = DEADLINE_MS,
  processesMax = PROCESSES_MAX,
} = {}) {
  let starts = 0
  const limits = { idleMs, deadlineMs, onStart: () => void (starts += 1) }
  const repositories = new LRUCache<string, ReturnType<typeof createRepositoryReader>>({
    max: processesMax,
    dispose: (repository) => repository.rest(),
  })
  return {
    /** Processes started so far. */
    starts: () => starts,

    async ask(directory: string, request: ReadRequest): Promise<ReadAnswers> {
      if (request.names.length === 0) return ok([])
      const place = await placeOf(directory)
      if (!place.ok) return place
      const repository = repositories.get(directory) ?? createRepositoryReader(directory, limits)
      if (!repositories.has(directory)) repositories.set(directory, repository)
      return repository.ask(request, place.value)
    },
  }
}

/** Differs for another directory at the same path, even when it got the same inode. */
async function placeOf(directory: string): GitAnswer<string> {
  try {
    const { dev, ino, birthtimeMs } = await stat(directory)
    return ok(`${dev} ${ino} ${birthtimeMs}`)
  } catch (cause) {
    return err(hostError(`the repository cannot be read: ${String(cause)}`))
  }
}

function createRepositoryReader(
  directory: string,
  limits: { readonly idleMs: number; readonly deadlineMs: number; readonly onStart: () => void },
) {
  /** In the order of their answers. Git was given the first ones. */
  const open: OpenRequest[] = []
  let given = 0
  let living: LivingGit | undefined
  let place = ''
  let { idleMs } = limits
  let idle: ReturnType<typeof setTimeout> | undefined

  function send(): void {
    clearTimeout(idle)
    for (const { command, names, answers } of open.slice(given, SENT_MAX)) {
      living ??= start()
      if (living === undefined) return
      give(living.git, command, names.slice(answers.length))
      given += 1
    }
    if (open.length === 0) idle = setTimeout(drop, idleMs).unref()
  }

  /** Ends the process. The next one is asked for what is open. */
  function drop(): void {
    living?.git.stop()
    living = undefined
    given = 0
  }

  function start(): LivingGit | undefined {
    const git = startGit([`--git-dir=${directory}`, ...COMMAND], 'pipe', { deadlineMs: null })
    if (!git.ok) {
      failAll(git)
      return undefined
    }
    limits.onStart()
    const started = { git: git.value, since: performance.now(), isProven: false }
    give(git.value, 'info', [EMPTY_TREE])
    void listen(started)
    return started
  }

  async function listen(from: LivingGit): Promise<void> {
    const { child, complaint } = from.git
    const next = () => (from.isProven ? open[0] : undefined)
    await parseAnswers(child.stdout, next, (answer) => {
      if (from !== living) return
      if (from.isProven) take(answer)
      from.isProven = true
    })
    const [code, stderr] = await Promise.all([child.exited, complaint])
    if (from !== living) return
    drop()
    const failure = err(complaintOf(COMMAND, { code, stderr }))
    if (from.isProven) judge(failure, stderr)
    else failAll(failure)
    send()
  }

  function take(answer: ReadObject | null): void {
    const [first] = open
    first?.answers.push(answer)
    if (first?.answers.length !== first?.names.length) return
    first?.settle(ok(first.answers))
    open.shift()
    given = Math.max(0, given - 1)
    send()
  }

  /** Decides about the object at which git has ended. */
  function judge(failure: GitResult<never>, stderr: string): void {
    const [first] = open
    if (first === undefined) return
    const name = first.names[first.answers.length] ?? ''
    if (first.command === 'contents' && stderr.includes(name)) take(null)
    else if (first.isRetried) open.shift()?.settle(failure)
    else first.isRetried = true
  }

  function failAll(failure: GitResult<never>): void {
    for (const request of open.splice(0)) request.settle(failure)
  }

  function expire(late: OpenRequest): void {
    const position = open.indexOf(late)
    open.splice(position, 1)
    if (position < given) drop()
    late.settle(err({ kind: 'git_host_timeout' }))
    send()
  }

  return {
    ask(request: ReadRequest, at: string): Promise<ReadAnswers> {
      const ageMs = performance.now() - (living?.since ?? 0)
      if (at !== place || ageMs > LIFETIME_MS) drop()
      place = at
      const { promise, resolve } = Promise.withResolvers<ReadAnswers>()
      const settle = (outcome: ReadAnswers) => {
        clearTimeout(deadline)
        resolve(outcome)
      }
      const asked = { ...request, answers: [], settle, isRetried: false }
      // Until then it keeps our process from ending, too.
      const deadline = setTimeout(() => expire(asked), limits.deadlineMs)
      open.push(asked)
      send()
      return promise
    },

    /** Ends the process as soon as nothing is asked. */
    rest(): void {
      idleMs = 0
      send()
    },
  }
}

function give({ child }: RunningGit<'pipe'>, command: string, names: readonly string[]): void {
  const lines = names.map((name) => `${command} ${isSendable(name) ? name : NO_OBJECT}\n`)
  const write = async () => {
    await Promise.all([child.stdin.write(`${lines.join('')}flush\n`), child.stdin.flush()])
  }
  // The output of the process shows that it has ended.
  write().catch(() => {})
}

/** A line break would be another command. What cannot be sent is asked for as no object. */
const isSendable = (name: string) =>
  name !== '' && name.length <= NAME_LENGTH_MAX && !/[\0\n\r]/.test(name)

/** An answer is `<id> <type> <size>`, for `contents` with the bytes and a line feed behind it, or another line. */
async function parseAnswers(
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>,
  next: () => ReadRequest | undefined,
  take: (answer: ReadObject | null) => void,
): Promise<void> {
  let line = ''
  let object: ReadObject | null = null
  let left = 0
  for await (const { buffer, byteOffset, length } of stdout) {
    const chunk = Buffer.from(buffer, byteOffset, length)
    for (let at = 0; at < length;) {
      if (object !== null) {
        const { bytes, sizeBytes } = object
        const part = chunk.subarray(at, at + left)
        const filled = sizeBytes + 1 - left
        if (bytes.length > 0) bytes.set(part.subarray(0, bytes.length - filled), filled)
        at += part.length
        left -= part.length
        if (left > 0) break
        take(bytes.length === sizeBytes ? object : null)
        object = null
        continue
      }
      const end = chunk.indexOf(LINE_FEED, at)
      line += chunk.toString('latin1', at, end < 0 ? length : end)
      if (end < 0) break
      at = end + 1
      const [, name, type = '', size] = /^([0-9a-f]{40}) (\w+) (\d+)$/.exec(line) ?? []
      line = ''
      const id = ObjectId.parse(name)
      const sizeBytes = Number(size)
      const { command = 'info', bytesMax = 0 } = next() ?? {}
      const isHeld = command === 'contents' && sizeBytes <= bytesMax
      const bytes = isHeld ? new Uint8Array(sizeBytes) : NOTHING
      const found = id === undefined ? null : { id, type, sizeBytes, bytes }
      if (found === null || command === 'info') take(found)
      else {
        object = found
        left = sizeBytes + 1
      }
    }
  }
}
