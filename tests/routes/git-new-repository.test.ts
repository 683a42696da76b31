import { describe, expect, test } from 'bun:test'
import { type Person, sharedPortal } from '#tests/support/portal.ts'

const portal = sharedPortal()

const make = (as: Person, fields: Readonly<Record<string, string>>) =>
  portal().request('/git/new', {
    method: 'POST',
    as,
    body: new URLSearchParams({ name: 'shop', team: 'payments', description: 'A shop', ...fields }),
    undocumented: true,
  })

describe('a new repository', () => {
  test('has a README, a team, and a row in the audit trail', async () => {
    const made = await make('platform', {})
    expect([made.status, made.headers.get('location')]).toStrictEqual([303, '/git/acme/shop'])
    const shown = await portal().request('/git/acme/shop/raw/HEAD/README.md', {
      as: 'dev',
      undocumented: true,
    })
    expect(await shown.text()).toBe('# shop\n\nA shop\n')
    const audit = await portal().request('/api/v1/audit?action=repository&team=payments', {
      as: 'manager',
    })
    expect(await audit.json()).toMatchObject([
      { target: 'repository/acme/shop', result: 'done', groups: ['platform-team'] },
    ])
    const again = await make('platform', {})
    expect(await again.json()).toMatchObject({ status: 409, code: 'already_exists' })
  })

  test.each(['dev', 'manager'] as const)('is not made by %s', async (person) => {
    const refused = await make(person, { name: `of-${person}` })
    expect(await refused.json()).toMatchObject({ code: 'forbidden', required: ['platform-team'] })
    const form = await portal().request('/git/new', { as: person, undocumented: true })
    expect(form.status).toBe(403)
    const found = await portal().request(`/git/acme/of-${person}`, {
      as: 'dev',
      undocumented: true,
    })
    expect(found.status).toBe(404)
  })

  test.each([
    [{ name: '../x' }, '/name'],
    [{ name: '' }, '/name'],
    [{ team: 'A' }, '/team'],
    [{ description: 'a\nb' }, '/description'],
    [{ description: 'x'.repeat(201) }, '/description'],
  ])('is refused with %j', async (fault, path) => {
    const refused = await make('platform', fault)
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ path }] })
  })
})
