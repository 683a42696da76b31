/**
 * Screenshots of every state of the console's pages, at both widths and in both schemes, on a demo of its own.
 * `bun scripts/console-shots.ts <folder> [names, separated by commas]`
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startConsole } from '#tests/support/console.ts'
import { pageStates, reach } from '#tests/support/console-states.ts'

const [folder, names] = process.argv.slice(2)
if (folder === undefined)
  throw new Error('give a folder, such as bun scripts/console-shots.ts shots')
const wanted = new Set(names?.split(','))
const SETTLE_MS = 300

await mkdir(folder, { recursive: true })
await using portal = await startConsole()
for (const state of pageStates) {
  if (names !== undefined && !wanted.has(state.name)) continue
  const context = await portal.profile({ as: state.as === undefined ? 'dev' : state.as })
  const page = await portal.open(state.path, context)
  await reach(page, state)
  for (const window of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(window)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(SETTLE_MS)
      await page.screenshot({
        path: join(folder, `${state.name}-${window.width}-${colorScheme}.png`),
      })
    }
  }
  await context.close()
}
