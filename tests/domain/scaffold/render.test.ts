import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { substitute, type Values } from '#src/lib/domain/scaffold/render.ts'

const VALUES: Values = {
  appName: 'shop',
  description: 'Sells {{ values.team }}',
  team: 'payments',
  namespace: 'payments-dev',
  org: 'acme',
  owner: 'group:acme/payments',
  image: 'ghcr.io/acme/shop',
  templateId: 'service',
  templateVersion: '1.0.0',
  databaseEnabled: 'false',
  externalSecretsEnabled: 'true',
  ingressEnabled: 'true',
}

describe('substitute', () => {
  test.each([
    ['{{ values.appName }}', 'shop'],
    ['{{values.appName}}', 'shop'],
    ['a{{ values.team }}b{{ values.team }}', 'apaymentsbpayments'],
    ['{{ values.description }}', 'Sells {{ values.team }}'],
    ['${{ github.sha }}', '${{ github.sha }}'],
    ['${{ values.appName }}', '$shop'],
    ['{{ .Values.appName }}', '{{ .Values.appName }}'],
    ['{{ values.unknown }}', '{{ values.unknown }}'],
    ['{{ values.constructor }}', '{{ values.constructor }}'],
    ['{{ values.__proto__ }}', '{{ values.__proto__ }}'],
    ['{{ values.appName | upper }}', '{{ values.appName | upper }}'],
    ['{{\nvalues.appName\n}}', '{{\nvalues.appName\n}}'],
    ['{% if values.appName %}', '{% if values.appName %}'],
    ['{{{ values.appName }}}', '{shop}'],
  ])('%p becomes %p', (text, expected) => {
    expect(substitute(text, VALUES)).toBe(expected)
  })

  test('touches nothing without a placeholder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('values.'))
        expect(substitute(text, VALUES)).toBe(text)
      }),
    )
  })

  test('puts in a value as it is, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (description) => {
        const made = substitute('<{{ values.description }}>', { ...VALUES, description })
        expect(made).toBe(`<${description}>`)
      }),
    )
  })
})
