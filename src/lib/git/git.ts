import { dirname } from 'node:path'
import { createFair } from '../concurrency/fair.ts'
import { ownTurn } from '../concurrency/time-slice.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { settings } from './git-config.ts'

const DEADLINE_MS = 30_000
/** Time for git to remove its locks and quarantined objects between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const STDERR_BYTES_MAX = 16 * 1024

const INSTALLED = Bun.which('git')
const PROGRAM = INSTALLED ?? 'git'
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin']

/** The whole environment of git. A `GIT_DIR` inherited from ours would move every command elsewhere. */
const ENVIRONMENT = {
  PATH: (INSTALLED === null ? FOLDERS : [dirname(INSTALLED), ...FOLDERS]).join(':'),
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  /** `refs/replace` would answer for an object id with other bytes. */
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_AUTHOR_NAME: 'Portico',
  GIT_AUTHOR_EMAIL: 'portico@localhost',
  GIT_COMMITTER_NAME: 'Portico',
  GIT_COMMITTER_EMAIL: 'portico@localhost',
  ...settings,
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>
  /** `null`: none, and the process of git does not keep ours from ending. */
  readonly deadlineMs?: number | null
}

export interface RunningGit<Stdin extends 'pipe' | 'ignore' | Blob> {
  readonly child: Bun.Subprocess<Stdin, 'pipe', 'pipe'>
  /** The first kilobytes of its standard error. */
  readonly complaint: Promise<string>
  readonly isLate: () => boolean
  /** SIGTERM to git and its helpers, and SIGKILL when that is not enough. Harmless after the end. */
  readonly stop: () => void
  /** Gives it another deadline, which begins now. */
  readonly endWithin: (ms: number) => void
}

/** A git process that ends within its deadline. */
export function startGit<Stdin extends 'pipe' | 'ignore' | Blob>(
  args: readonly string[],
  stdin: Stdin,
  { env = {}, deadlineMs = DEADLINE_MS }: GitOptions = {},
): GitResult<RunningGit<Stdin>> {
  let child: Bun.Subprocess<Stdin, 'pipe', 'pipe'>
  try {
    child = Bun.spawn([PROGRAM, ...args], {
      stdin,
      stdout: 'pipe',
      stderr: 'pipe',
      cwd: '/',
      // A group of its own: git leaves helpers behind when it is stopped alone.
      detached: true,
      env: { ...ENVIRONMENT, ...env },
    })
  } catch (cause) {
    return err(hostError(`git does not start: ${String(cause)}`))
  }
  let late = false
  let killing: ReturnType<typeof setTimeout> | undefined
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = () => {
    if (hasEnded()) return
    signalGroup(child.pid, 'SIGTERM')
    killing ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS)
  }
  let deadline: ReturnType<typeof setTimeout> | undefined
  const endWithin = (ms: number) => {
    clearTimeout(deadline)
    if (hasEnded()) return
    deadline = setTimeout(() => {
      late = true
      stop()
    }, ms)
  }
  // Before its output is read: an open stream would keep our process.
  if (deadlineMs === null) child.unref()
  else endWithin(deadlineMs)
  void child.exited.finally(() => {
    clearTimeout(deadline)
    clearTimeout(killing)
  })
  return ok({ child, complaint: readStart(child.stderr), isLate: () => late, stop, endWithin })
}

/** The child leads its group and is not reaped yet, so that the id is no one else's. */
function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It ended a moment ago.
  }
}

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
  /** It was longer than `outputBytesMax`; git was stopped. */
  readonly isTruncated: boolean
}

export interface RunOptions extends GitOptions {
  readonly input?: Blob
  readonly outputBytesMax?: number
  /** Ends the process early. */
  readonly signal?: AbortSignal
}

/** Programs that run at a time, those that speak to a host aside: each takes a processor. */
const AT_ONCE = 16
const { inTurn } = createFair({ queue: 'git', permits: AT_ONCE })

/** Runs git on a repository to its end. The caller knows which exit codes it expects. */
export const runGit = (
  directory: string,
  args: readonly string[],
  options: RunOptions = {},
): GitAnswer<GitOutput> =>
  inTurn(async () => {
    // The start of a program holds the event loop for a millisecond or two.
    await ownTurn()
    return runAtOnce(directory, args, options)
  })

/** The same, for a caller with a queue of its own. */
export async function runAtOnce(
  directory: string,
  args: readonly string[],
  { input, outputBytesMax = OUTPUT_BYTES_MAX, signal, ...options }: RunOptions,
): GitAnswer<GitOutput> {
  const running = startGit([`--git-dir=${directory}`, ...args], input ?? 'ignore', options)
  if (!running.ok) return running
  const { child, complaint, isLate, stop } = running.value
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })

  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of child.stdout) {
    if (bytes <= outputBytesMax) parts.push(part)
    bytes += part.length
    if (bytes > outputBytesMax) stop()
  }
  const [code, stderr] = await Promise.all([child.exited, complaint])
  if (isLate()) return err({ kind: 'git_host_timeout' })
  const stdout = Buffer.concat(parts).subarray(0, outputBytesMax)
  return ok({ code, stdout, stderr, isTruncated: bytes > outputBytesMax })
}

/** For commands where anything but success is a failure of the host. */
export async function gitOutput(
  directory: string,
  args: readonly string[],
  options: RunOptions = {},
): GitAnswer<GitOutput> {
  const output = await runGit(directory, args, options)
  if (!output.ok) return output
  if (output.value.isTruncated) return err(hostError(`git ${args[0]}: too much output`))
  return output.value.code === 0 ? output : err(complaintOf(args, output.value))
}

export async function gitText(
  directory: string,
  args: readonly string[],
  options: RunOptions = {},
): GitAnswer<string> {
  const output = await gitOutput(directory, args, options)
  return output.ok ? ok(output.value.stdout.toString()) : output
}

/** The id that stands for no object. */
export const NO_OBJECT = '0'.repeat(40)
/** Git knows it in every repository, without reading it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export const hostError = (reason: string) => ({ kind: 'git_host_error', reason }) as const

export const complaintOf = (
  args: readonly string[],
  { code, stderr }: { readonly code: number; readonly stderr: string },
) => hostError(`git ${args[0]} ended with ${code}: ${stderr.trim().slice(0, 500)}`)

/** Reads to the end, so that git never blocks on a full pipe, and keeps the start. */
async function readStart(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of stream) {
    if (text.length < STDERR_BYTES_MAX) text += decoder.decode(part, { stream: true })
  }
  return text.slice(0, STDERR_BYTES_MAX)
}
