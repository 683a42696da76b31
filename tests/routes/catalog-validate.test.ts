import { expect, test } from 'bun:test'
import { hostileYaml } from '#tests/support/hostile-yaml.ts'
import { component, openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'

/** Takes some hundred milliseconds and is not wrong. */
const slow = hostileYaml['as many entities as fit'].bytes

const validate = (portal: TestPortal, as: Person) =>
  portal.request('/api/v1/catalog/validate', {
    as,
    method: 'POST',
    body: slow.slice(),
    headers: { 'content-type': 'application/yaml' },
  })

test('a flood of validations of one person is refused, and the catalog does not wait for it', async () => {
  await using portal = await openPortal()
  await portal.request('/api/v1/catalog/entities', { as: 'dev' })
  await portal.signIn('outsider')
  const answered: number[] = []
  const flood = Array.from({ length: 30 }, async () => {
    const { status, headers } = await validate(portal, 'outsider')
    if (status === 429) expect(headers.get('retry-after')).toBe('1')
    answered.push(status)
  })
  await portal.commit({ 'catalog/new.yaml': component('new') })
  portal.portal.catalog.invalidate()
  const read = await portal.request('/api/v1/catalog/entities/component/new', { as: 'dev' })
  expect(read.status).toBe(200)
  expect(answered.filter((status) => status === 200)).toStrictEqual([])
  await Promise.all(flood)
  expect(answered.filter((status) => status === 200)).toHaveLength(2)
  expect(answered.filter((status) => status === 429)).toHaveLength(28)
})
