export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Uint8Array
}

/** A running `git cat-file`: one question costs a tenth of a millisecond instead of a process. */
export class CatFile {
  readonly #process
  readonly #waiting: ((answer: GitObject | null) => void)[] = []

  constructor(directory: string) {
    this.#process = Bun.spawn(['git', `--git-dir=${directory}`, 'cat-file', '--batch'], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    void this.#receive()
  }

  read(id: string): Promise<GitObject | null> {
    const { promise, resolve } = Promise.withResolvers<GitObject | null>()
    this.#waiting.push(resolve)
    void this.#process.stdin.write(`${id}\n`)
    void this.#process.stdin.flush()
    return promise
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.exited
  }

  async #receive(): Promise<void> {
    let held: Buffer = Buffer.alloc(0)
    for await (const chunk of this.#process.stdout) {
      held = Buffer.concat([held, chunk])
      for (;;) {
        const lineEnd = held.indexOf(10)
        if (lineEnd < 0) break
        const [, type = '', size = ''] = held.toString('latin1', 0, lineEnd).split(' ')
        if (size === '') {
          held = held.subarray(lineEnd + 1)
          this.#waiting.shift()?.(null)
          continue
        }
        const end = lineEnd + 1 + Number(size)
        if (held.length <= end) break
        const bytes = Uint8Array.from(held.subarray(lineEnd + 1, end))
        held = held.subarray(end + 1)
        this.#waiting.shift()?.({ type: type as ObjectType, bytes })
      }
    }
    for (const answer of this.#waiting.splice(0)) answer(null)
  }
}
