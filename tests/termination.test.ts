import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

const MODULE = resolve('src/termination.ts')

/** Runs a program that gets a signal before it says what the signal does. */
async function run(then: string) {
  const program = `
    import { catchTermination } from '${MODULE}'
    const termination = catchTermination()
    process.kill(process.pid, 'SIGTERM')
    await new Promise((resolve) => process.once('SIGTERM', resolve))
    ${then}
    await Bun.sleep(10_000)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
  const stdout = await child.stdout.text()
  await child.exited
  return [stdout, child.exitCode, child.signalCode]
}

test('a signal that came early is handled when its handler comes', async () => {
  const handle = `termination.handle(() => { console.log('drained'); process.exit(0) })`
  expect(await run(handle)).toStrictEqual(['drained\n', 0, null])
})

test('a command that handles no signals is ended by one that came early', async () => {
  expect(await run('termination.release()')).toStrictEqual(['', null, 'SIGTERM'])
})
