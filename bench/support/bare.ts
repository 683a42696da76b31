export interface BareServerPlan {
  readonly port: number
  readonly cookie: string
  /** Whose bodies it sends. */
  readonly origin: string
  readonly paths: readonly string[]
  readonly coding?: 'identity' | 'gzip'
}

/** Starts a bare `Bun.serve` in a process of its own, see `bare-server.ts`. */
export async function startBareServer(plan: BareServerPlan) {
  const { port, cookie, origin, paths, coding = 'identity' } = plan
  const args = [String(port), cookie, origin, coding, ...new Set(paths)]
  const child = Bun.spawn(['bun', 'bench/support/bare-server.ts', ...args], { stdout: 'pipe' })
  await child.stdout.getReader().read()
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }
}
