import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '#src/lib/logging/log.ts'
import { openFolder } from '#tests/support/open-folder.ts'

test.each(['bug', 'error', 'err'])(
  'an error that is the %s of an event has its stack',
  async (key) => {
    await using folder = await openFolder()
    const path = join(folder.path, 'log')
    const log = createLog({ level: 'info', path })
    log.events.error(
      { [key]: new TypeError('a mistake'), failure: { kind: 'git_denied' } },
      'event',
    )
    await log.close()
    expect(await Bun.file(path).json()).toMatchObject({
      [key]: {
        type: 'TypeError',
        message: 'a mistake',
        stack: expect.stringContaining('log.test.ts'),
      },
      failure: { kind: 'git_denied' },
    })
  },
)
