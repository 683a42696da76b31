/** Starts a script in another process that answers each line of input with a line of JSON. */
export function spawnAnswering(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const child = Bun.spawn(['bun', script, ...args], {
    stdin: 'pipe',
    stdout: 'pipe',
    env: { ...process.env, ...env },
  })
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async <Line>(): Promise<Line> => {
    for (;;) {
      const end = text.indexOf('\n')
      if (end >= 0) {
        const line = text.slice(0, end)
        text = text.slice(end + 1)
        return JSON.parse(line) as Line
      }
      const { value = '', done } = await reader.read()
      if (done) throw new Error(`${script} ended`)
      text += value
    }
  }
  const ask = async <Line>(line: string): Promise<Line> => {
    void child.stdin.write(`${line}\n`)
    await child.stdin.flush()
    return next<Line>()
  }
  return {
    pid: child.pid,
    next,
    ask,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
