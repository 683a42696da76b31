import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sameNamed } from '#src/lib/domain/gitops/application.ts'
import { AppName, TeamName } from '#src/lib/names.ts'

const rivals = (
  team: string,
  app: string,
  environment = 'dev',
  environments: readonly string[] = ['dev', 'staging', 'production'],
) =>
  sameNamed({ team: TeamName.of(team), app: AppName.of(app), environment }, environments).map(
    (rival) => `${rival.team}/${rival.app} in ${rival.environment}`,
  )

test('applications whose objects have the same name', () => {
  expect(rivals('payments', 'shop')).toStrictEqual([])
  expect(rivals('payments-core', 'ledger')).toStrictEqual(['payments/core-ledger in dev'])
  expect(rivals('payments', 'core-ledger')).toStrictEqual(['payments-core/ledger in dev'])
  // Names of teams and applications begin with a letter and have two characters.
  expect(rivals('payments', '2-x'.replace('2', 'a'))).toStrictEqual([])
})

test('an environment may end with the name of another', () => {
  const environments = ['dev', 'eu-dev']
  expect(rivals('payments', 'shop', 'eu-dev', environments)).toStrictEqual([
    'payments/shop-eu in dev',
    'payments-shop/eu in dev',
  ])
  expect(rivals('payments', 'shop-eu', 'dev', environments)).toStrictEqual([
    'payments-shop/eu in dev',
    'payments/shop in eu-dev',
  ])
})

test('whoever is a rival has this one for a rival', () => {
  const name = fc.stringMatching(/^[a-c][-a-c]{0,6}[a-c]$/)
  const environments = ['a', 'b-a', 'c']
  fc.assert(
    fc.property(name, name, fc.constantFrom(...environments), (team, app, environment) => {
      const own = { team: TeamName.of(team), app: AppName.of(app), environment }
      for (const rival of sameNamed(own, environments)) {
        expect(sameNamed(rival, environments)).toContainEqual(own)
        expect(`${rival.team}-${rival.app}-${rival.environment}`).toBe(
          `${team}-${app}-${environment}`,
        )
      }
    }),
  )
})
