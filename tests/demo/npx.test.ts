import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from '#tests/support/open-folder.ts'

const ENDS_MS = 60_000

/** `npx` runs the command of the README in a shell, and ends that shell alone: Bun does not hear of it, unless it is told to look. */
test('the demo ends with the shell that npx started it in', async () => {
  const readme = await Bun.file('README.md').text()
  const [, flags = ''] = /`npx -y --allow-scripts=bun bun@\S+ (.*?)run demo`/.exec(readme) ?? []
  await using folder = await openFolder()
  await using shell = Bun.spawn(['sh', '-c', `'${process.execPath}' ${flags}run demo; exit`], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder.path },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const ended = Promise.withResolvers<'ended' | 'still running'>()
  let printed = ''
  let deadline: Timer | undefined
  void (async () => {
    for await (const text of shell.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text
      if (deadline !== undefined || !printed.includes('ready on')) continue
      deadline = setTimeout(() => ended.resolve('still running'), ENDS_MS)
      shell.kill('SIGTERM')
    }
    // The pipe ends with the last process that could write to it.
    ended.resolve('ended')
  })()
  const outcome = await ended.promise
  clearTimeout(deadline)
  if (outcome === 'still running') {
    process.kill(Number(readFileSync(join(folder.path, 'demo.pid'), 'utf8')), 'SIGKILL')
  }
  expect(printed).toContain('ready on')
  expect(outcome).toBe('ended')
})
