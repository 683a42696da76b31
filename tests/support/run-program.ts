interface Surroundings {
  readonly cwd?: string
  /** In place of this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
}

/** Runs a program to its end. */
export async function runProgram(
  command: readonly string[],
  { input = '', ...surroundings }: Surroundings = {},
) {
  const child = Bun.spawn([...command], {
    ...surroundings,
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, stdout, stderr }
}

/** What a program prints that succeeds. Throws what another one complains of. */
export async function outputOf(...asked: Parameters<typeof runProgram>): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(...asked)
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout
}
