import { chmod, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { CatFile, type GitObject, type ObjectType } from './cat-file.ts'

const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n[receive]\n\tunpackLimit = 100000\n\tautogc = false\n'

/** A bare repository of git, made without a process. Objects and references are read and written as git does. */
export class BareRepository {
  #catFile: CatFile | undefined
  /** Ends in the order of its calls: the changes of references. */
  #turn: Promise<unknown> = Promise.resolve()

  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  static async create(directory: string, defaultBranch: string): Promise<BareRepository> {
    await mkdir(join(directory, 'objects'), { recursive: true })
    await mkdir(join(directory, 'refs/heads'), { recursive: true })
    await writeFile(join(directory, 'config'), CONFIG)
    const repository = new BareRepository(directory)
    await repository.setDefaultBranch(defaultBranch)
    return repository
  }

  async setDefaultBranch(branch: string): Promise<void> {
    await writeFile(join(this.directory, 'HEAD'), `ref: refs/heads/${branch}\n`)
  }

  /** A script that git runs at a push, such as `pre-receive` (githooks(5)). */
  async installHook(name: string, script: string): Promise<void> {
    await mkdir(join(this.directory, 'hooks'), { recursive: true })
    const file = join(this.directory, 'hooks', name)
    await writeFile(file, script)
    await chmod(file, 0o755)
  }

  async read(id: string): Promise<GitObject | null> {
    if (!/^[0-9a-f]{40}$/.test(id)) return null
    this.#catFile ??= new CatFile(this.directory)
    return await this.#catFile.read(id)
  }

  async readAs(id: string, type: ObjectType): Promise<Uint8Array | null> {
    const object = await this.read(id)
    return object?.type === type ? object.bytes : null
  }

  async write(type: ObjectType, bytes: Uint8Array): Promise<string> {
    const object = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
    const id = new Bun.CryptoHasher('sha1').update(object).digest('hex')
    const folder = join(this.directory, 'objects', id.slice(0, 2))
    await mkdir(folder, { recursive: true })
    const temporary = join(folder, `tmp_${crypto.randomUUID()}`)
    await writeFile(temporary, deflateSync(object, { level: 1 }))
    await rename(temporary, join(folder, id.slice(2)))
    return id
  }

  /** Commit of a reference such as `refs/heads/main`. */
  async reference(name: string): Promise<string | null> {
    const loose = await readFile(join(this.directory, name), 'utf8').catch(() => null)
    return loose === null ? ((await this.#packedReferences()).get(name) ?? null) : loose.trim()
  }

  /** References whose names begin with `prefix`, sorted by name. */
  async references(prefix: string): Promise<readonly (readonly [string, string])[]> {
    const entries = await readdir(join(this.directory, 'refs'), {
      recursive: true,
      withFileTypes: true,
    })
    const names = entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
      .map((entry) => join(entry.parentPath, entry.name).slice(this.directory.length + 1))
    const all = new Set([...names, ...(await this.#packedReferences()).keys()])
    const wanted = [...all].filter((name) => name.startsWith(prefix)).toSorted()
    const found: (readonly [string, string])[] = []
    for (const name of wanted) {
      const id = await this.reference(name)
      if (id !== null) found.push([name, id])
    }
    return found
  }

  /** Runs one change of references after the other. */
  async inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(change)
    this.#turn = turn.catch(() => undefined)
    return await turn
  }

  /** Throws what git says, such as about a branch that rules out this one. */
  async updateReference(name: string, id: string | null): Promise<void> {
    await this.git(id === null ? ['update-ref', '-d', name] : ['update-ref', name, id])
  }

  async git(args: readonly string[], stdin = '', variables = {}): Promise<Buffer<ArrayBuffer>> {
    const { code, stdout, stderr } = await this.tryGit(args, stdin, variables)
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }

  async tryGit(args: readonly string[], stdin = '', variables = {}) {
    const child = Bun.spawn(['git', `--git-dir=${this.directory}`, ...args], {
      stdin: new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...gitEnvironment(this.directory), ...variables },
    })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).arrayBuffer(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { code, stdout: Buffer.from(stdout), stderr }
  }

  async stop(): Promise<void> {
    await this.#catFile?.stop()
  }

  async #packedReferences(): Promise<ReadonlyMap<string, string>> {
    const text = await readFile(join(this.directory, 'packed-refs'), 'utf8').catch(() => '')
    const lines = text.split('\n').filter((line) => /^[0-9a-f]{40} /.test(line))
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
  }
}
