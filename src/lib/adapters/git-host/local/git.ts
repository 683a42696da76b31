import { dirname } from 'node:path'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { settings } from './git-config.ts'

const DEADLINE_MS = 30_000
/** How long git may clean up after SIGTERM (locks, quarantined objects) before it is killed. */
const GRACE_MS = 2_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const STDERR_BYTES_MAX = 16 * 1024

const FOUND = Bun.which('git')
const PROGRAM = FOUND ?? 'git'
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin']

/** All that git sees. Nothing of our own environment: a `GIT_DIR` there would move every command elsewhere. */
const ENVIRONMENT = {
  PATH: (FOUND === null ? FOLDERS : [dirname(FOUND), ...FOLDERS]).join(':'),
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
  readonly deadlineMs?: number
}

type InputOptions = GitOptions & { readonly input?: Blob }

export interface Running<Stdin extends 'pipe' | 'ignore' | Blob> {
  readonly child: Bun.Subprocess<Stdin, 'pipe', 'pipe'>
  /** The first kilobytes of what git complained about. */
  readonly complaint: Promise<string>
  readonly ranOutOfTime: () => boolean
  /** SIGTERM, and SIGKILL when that is not enough. Harmless after the end. */
  readonly stop: () => void
}

/** A git process that ends within its deadline. Throws only when there is no git program. */
function startGit<Stdin extends 'pipe' | 'ignore' | Blob>(
  args: readonly string[],
  stdin: Stdin,
  { env = {}, deadlineMs = DEADLINE_MS }: GitOptions = {},
): Running<Stdin> {
  const child = Bun.spawn([PROGRAM, ...args], {
    stdin,
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: '/',
    env: { ...ENVIRONMENT, ...env },
  })
  let late = false
  let killing: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    killing ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  }
  const deadline = setTimeout(() => {
    late = true
    stop()
  }, deadlineMs)
  const clear = () => {
    clearTimeout(deadline)
    clearTimeout(killing)
  }
  void child.exited.finally(clear)
  return { child, complaint: readStart(child.stderr), ranOutOfTime: () => late, stop }
}

export interface Finished {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Runs git on a repository to its end. An exit code is an answer; the caller knows which ones it expects. */
export async function runGit(
  directory: string,
  args: readonly string[],
  { input, ...options }: InputOptions = {},
): Promise<Result<Finished, GitFailure>> {
  const running = tryStart([`--git-dir=${directory}`, ...args], input ?? 'ignore', options)
  if (!running.ok) return running
  const { child, complaint, ranOutOfTime, stop } = running.value

  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of child.stdout) {
    bytes += part.length
    if (bytes <= OUTPUT_BYTES_MAX) parts.push(part)
    else stop()
  }
  const [code, stderr] = await Promise.all([child.exited, complaint])
  if (ranOutOfTime()) return err({ kind: 'git_host_timeout' })
  if (bytes > OUTPUT_BYTES_MAX) return err(hostError(`git ${args[0]}: too much output`))
  return ok({ code, stdout: Buffer.concat(parts), stderr })
}

/** For commands where anything but success is a failure of the host. */
export async function gitBytes(
  directory: string,
  args: readonly string[],
  options: InputOptions = {},
): Promise<Result<Buffer, GitFailure>> {
  const finished = await runGit(directory, args, options)
  if (!finished.ok) return finished
  return finished.value.code === 0
    ? ok(finished.value.stdout)
    : err(complaintOf(args, finished.value))
}

export async function gitText(
  directory: string,
  args: readonly string[],
  options: InputOptions = {},
): Promise<Result<string, GitFailure>> {
  const stdout = await gitBytes(directory, args, options)
  return stdout.ok ? ok(stdout.value.toString()) : stdout
}

export function tryStart<Stdin extends 'pipe' | 'ignore' | Blob>(
  args: readonly string[],
  stdin: Stdin,
  options?: GitOptions,
): Result<Running<Stdin>, GitFailure> {
  try {
    return ok(startGit(args, stdin, options))
  } catch (cause) {
    return err(hostError(`git does not start: ${String(cause)}`))
  }
}

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
