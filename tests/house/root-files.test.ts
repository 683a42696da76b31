import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { license, version } from '../../package.json'

const textOf = (file: string): Promise<string> => Bun.file(file).text()

test('the licence is that of package.json', async () => {
  expect(license).toBe('Apache-2.0')
  expect(await textOf('LICENSE')).toContain(
    'Apache License\n                           Version 2.0',
  )
})

test('the version has an entry in the list of changes', async () => {
  expect(await textOf('CHANGELOG.md')).toContain(`\n## ${version}\n`)
})

test.each(['README.md', 'CHANGELOG.md'])('%s leads to files that exist', async (file) => {
  const targets = [...(await textOf(file)).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
  expect(targets.length).toBeGreaterThan(3)
  for (const [, target = ''] of targets)
    expect([target, existsSync(target)]).toStrictEqual([target, true])
})
