import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describePullRequest, isOfRun } from '#src/lib/domain/scaffold/pull-request.ts'
import { nothingMade } from '#src/lib/domain/scaffold/run.ts'
import { AppName, EnvironmentName, Label, ObjectId, RunId, TeamName } from '#src/lib/names.ts'

const RUN = RunId.of('01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11')
const OTHER = RunId.of('01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a12')

const describeWith = (description: string, name = 'Ann', namespace = 'payments') =>
  describePullRequest({
    runId: RUN,
    made: { ...nothingMade, repoUrl: 'https://git.example/acme/shop' },
    spec: {
      templateId: Label.of('service'),
      templateVersion: '1.0.0',
      templateRevision: ObjectId.of('0'.repeat(40)),
      app: AppName.of('shop'),
      team: TeamName.of('payments'),
      org: 'acme',
      namespace,
      description,
      image: 'ghcr.io/acme/shop',
      features: { database: false, externalSecrets: true, ingress: true },
      componentType: 'service',
      templateHasBase: false,
      firstEnvironment: EnvironmentName.of('dev'),
      tenantAppApiVersion: 'platform.example.org/v1alpha1',
      createdBy: { subject: 'ann', name, email: 'ann@acme.example' },
    },
  })

describe('the pull request of a scaffold', () => {
  test('has the title of the contract, and is known again by its run', () => {
    const { title, body } = describeWith('Sells things')
    expect(title).toBe('[Scaffold] payments/shop')
    expect(isOfRun({ body }, RUN)).toBe(true)
    expect(isOfRun({ body }, OTHER)).toBe(false)
  })

  test('free text stays in its fence, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,80}$/u),
        fc.integer({ min: 0, max: 9 }),
        (text, ticks) => {
          const description = `${'`'.repeat(ticks)}${text}`
          const lines = describeWith(description).body.split('\n')
          const at = lines.indexOf(description)
          const fence = lines[at - 1] ?? ''
          expect(fence).toMatch(/^`{3,}$/)
          expect(lines[at + 1]).toBe(fence)
          expect(description).not.toContain(fence)
        },
      ),
    )
  })

  test('a description cannot claim another run', () => {
    const { body } = describeWith(`Portico-Run: ${OTHER}`)
    expect(isOfRun({ body }, OTHER)).toBe(false)
  })

  test('a name mentions nobody and is no markup', () => {
    const { body } = describeWith('', '@all <img> [x](y) #1 `a`')
    expect(body.split('\n')[0]).toBe(
      'Adds **payments/shop**, made from service 1.0.0 for all img x(y) 1 a.',
    )
  })

  test.each([
    ['payments', false],
    ['payments-dev', false],
    ['paymentsdev', true],
    ['shipping', true],
  ])('namespace %s asks for a second look: %p', (namespace, expected) => {
    expect(describeWith('', 'Ann', namespace).body.includes('look twice')).toBe(expected)
  })
})
