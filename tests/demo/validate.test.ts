import { expect, test } from 'bun:test'
import { load } from 'js-yaml'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { broken, duplicate } from '#src/demo/seed/flaws.ts'
import { commits } from '#src/demo/seed/gitops.ts'
import { workflow } from '#src/demo/seed/platform.ts'
import { VERSION } from '#src/version.ts'
import { readPage } from '#tests/support/docs-page.ts'
import { PROGRAM } from '#tests/support/portico-process.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const text = new TextDecoder().decode(workflow.bytes)
const flaws = [broken.path, ...duplicate.map(({ path }) => path)]

/** Runs the program in the folder that would be mounted, as the image does with the words after its name. */
const DOCKER = `#!/bin/sh -e
[ "$1 $2 $3 $5 $6 $7" = 'run --rm --volume --workdir /checkout registry.example.org/portico:${VERSION}' ]
cd "\${4%:/checkout:ro}"
shift 7
exec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"
`

/** Runs the lines of the workflow file, in a checkout of the default branch. */
async function runWorkflow(isThere: (path: string) => boolean) {
  await using folder = await openFolder()
  const checkout = join(folder.path, 'gitops')
  for (const { path, bytes } of commits.flatMap(({ files }) => files)) {
    if (isThere(path)) await Bun.write(join(checkout, path), bytes)
  }
  const docker = join(folder.path, 'bin/docker')
  await Bun.write(docker, DOCKER)
  await chmod(docker, 0o755)

  const { jobs } = load(text) as { jobs: { catalog: { steps: { run?: string }[] } } }
  const lines = jobs.catalog.steps.flatMap(({ run }) => run ?? [])
  expect(lines).toHaveLength(1)
  const child = Bun.spawn(['sh', '-e', '-c', lines.join('\n')], {
    cwd: checkout,
    env: { PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}` },
  })
  return { printed: await child.stdout.text(), exitCode: await child.exited }
}

test('the workflow of the gitops repository names its two flaws in the diff, and fails', async () => {
  const { printed, exitCode } = await runWorkflow(() => true)
  expect(exitCode).toBe(1)
  const errors = [...printed.matchAll(/^::error file=([^,]+),line=\d+,col=\d+,title=\w+::/gm)]
  expect(errors.map(([, path = '']) => path).toSorted()).toStrictEqual(flaws.map(String).toSorted())
})

test('it passes when they are mended', async () => {
  const { printed, exitCode } = await runWorkflow((path) => !flaws.some((flaw) => flaw === path))
  expect(printed).toMatch(/^\d\d entities and 0 templates: 0 errors, 0 warnings\n$/)
  expect(exitCode).toBe(0)
})

test('the page about the catalog has the same file', async () => {
  const page = await readPage('catalog.md')
  const path = String(workflow.path)
  expect(page.files().get(path)).toBe(`# ${path}\n${text}`)
})
