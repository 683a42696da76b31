import { readdir, readFile } from 'node:fs/promises'

/** Time on a processor, user and system, in nanoseconds: the first field of `schedstat` of Linux. */
async function onProcessor(file: string): Promise<number> {
  return Number((await readFile(file, 'utf8')).split(' ')[0])
}

/** Processor time of the main thread of a process, in microseconds. */
export const mainThreadMicroseconds = async (pid: number): Promise<number> =>
  (await onProcessor(`/proc/${pid}/task/${pid}/schedstat`)) / 1_000

/** Processor time of all threads of a process that live, in milliseconds. */
export async function allThreadsMilliseconds(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`
  const threads = await readdir(folder)
  // A thread may end between the two reads.
  const times = await Promise.all(
    threads.map((thread) => onProcessor(`${folder}/${thread}/schedstat`).catch(() => 0)),
  )
  return times.reduce((sum, time) => sum + time, 0) / 1e6
}
