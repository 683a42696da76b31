/** Checks types, lint with the import law, format and dead code. Fails if any of them fails. */
const FOLDERS = ['src', 'tests', 'scripts', 'bench']
const steps = {
  types: ['bun', 'check'],
  'types of the console': ['bun', 'check', '-p', 'src/console'],
  lint: ['bunx', 'oxlint', '--deny-warnings', ...FOLDERS],
  format: ['bun', 'fmt', '--check', ...FOLDERS],
  'dead code': ['bunx', 'knip', '--no-progress'],
} as const

const outcomes = await Promise.all(
  Object.entries(steps).map(async ([step, command]) => {
    const run = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ])
    if (exitCode !== 0) console.error(`${step} failed:\n${stdout}${stderr}`)
    return exitCode === 0
  }),
)

const failed = outcomes.filter((passed) => !passed).length
console.log(
  failed === 0 ? 'verify: all checks passed' : `verify: ${failed} of ${outcomes.length} failed`,
)
process.exit(failed === 0 ? 0 : 1)
