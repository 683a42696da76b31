import { expect, test } from 'bun:test'
import { fails, works } from '#src/lib/ports/connection-finding.ts'
import { checkSubjects, reportOf } from '#src/compose/connections/report.ts'

test('every finding is a line, and the summary counts what fails', () => {
  const subjects = [
    { name: 'database', findings: [works('It answers.'), fails('Nothing can be written.')] },
    { name: 'git', findings: [works('The catalog is there.')] },
  ]
  expect(reportOf(subjects)).toStrictEqual({
    ok: false,
    text: [
      'ok    database  It answers.',
      'FAIL  database  Nothing can be written.',
      'ok    git       The catalog is there.',
      '',
      '1 of 3 checks failed.',
    ].join('\n'),
  })
})

test('without a failure all is well', () => {
  const { ok, text } = reportOf([{ name: 'git', findings: [works('There.')] }])
  expect(ok).toBe(true)
  expect(text).toEndWith('\n\nAll checks passed.')
})

test('subjects are tried at once, and one that hangs holds up none of the others', async () => {
  const begun: string[] = []
  const all = Promise.withResolvers<void>()
  const subject = (name: string) => ({
    name,
    check: async () => {
      begun.push(name)
      if (begun.length === 2) all.resolve()
      await all.promise
      return [works('There.')]
    },
  })
  const hanging = { name: 'hanging', check: () => new Promise<never>(() => {}) }
  expect(await checkSubjects([subject('a'), hanging, subject('b')], 1000)).toStrictEqual([
    { name: 'a', findings: [works('There.')] },
    { name: 'hanging', findings: [fails('No answer within 1 s.')] },
    { name: 'b', findings: [works('There.')] },
  ])
})
