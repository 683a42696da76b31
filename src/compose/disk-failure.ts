import { StartFailure } from './server.ts'

/** Failures of a disk that people can mend, as Node, SQLite and git report them. */
const failures: readonly (readonly [reported: RegExp, sentence: string])[] = [
  [/ENOSPC|SQLITE_FULL|disk is full|[Nn]o space left|[Oo]ut of diskspace/, 'no space is left'],
  [/EDQUOT|[Qq]uota exceeded/, 'the quota is used up'],
  [/EROFS|SQLITE_READONLY|[Rr]ead-only file system/, 'it is read-only'],
  [/EACCES|EPERM|[Pp]ermission denied|not permitted/, 'this user may not'],
  [/ENOTDIR|EEXIST|[Nn]ot a directory/, 'a part of its path is a file'],
  [/\bEIO\b|SQLITE_IOERR|Input\/output error/, 'the disk reports errors'],
]

/** The failure of the start that a disk's failure is, in words; `undefined` if the text reports none. */
export function diskFailure(directory: string, text: string): StartFailure | undefined {
  const sentence = failures.find(([reported]) => reported.test(text))?.[1]
  return sentence === undefined
    ? undefined
    : new StartFailure(
        `DATA_DIR cannot be written to, ${sentence}: ${directory}; mend that, or choose another DATA_DIR`,
      )
}

/** Does work that writes to the data directory. Errors that do not come from its disk are bugs and stay as they are. */
export async function withDiskFailures<Value>(
  directory: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartFailure || !(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : ''
    throw diskFailure(directory, `${code} ${error.message}`) ?? error
  }
}
