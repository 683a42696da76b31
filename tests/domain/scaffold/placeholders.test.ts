import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { substitute } from '#src/lib/domain/scaffold/placeholders.ts'
import { valuesWith } from '#tests/support/template-values.ts'

const PARAMETERS = { port: 8080, public: true, 'db-size': 'small', nested: '{{ values.team }}' }

const fill = (text: string, description = 'Sells {{ values.team }}'): string => {
  const values = valuesWith(PARAMETERS, description)
  return substitute(text, (name) => values.get(name)?.text)
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
    ['{{ values.parameters.port }}', '8080'],
    ['{{values.parameters.public}}', 'true'],
    ['{{ values.parameters.db-size }}', 'small'],
    ['{{ values.parameters.nested }}', '{{ values.team }}'],
    ['{{ values.parameters }}', '{{ values.parameters }}'],
    ['{{ values.parameters.missing }}', '{{ values.parameters.missing }}'],
    ['{{ values.parameters.constructor }}', '{{ values.parameters.constructor }}'],
    ['{{ values.parameters.port.x }}', '{{ values.parameters.port.x }}'],
    ['{{ parameters.port }}', '{{ parameters.port }}'],
    ['{{ values.port }}', '{{ values.port }}'],
  ])('%p becomes %p', (text, expected) => {
    expect(fill(text)).toBe(expected)
  })

  test('touches nothing without a placeholder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('values.'))
        expect(fill(text)).toBe(text)
      }),
    )
  })

  test('puts in a value as it is, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (description) => {
        const made = fill('<{{ values.description }}>', description)
        expect(made).toBe(`<${description}>`)
      }),
    )
  })
})
