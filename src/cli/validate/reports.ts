import { join, posix } from 'node:path'
import { VERSION } from '../../version.ts'
import type { CatalogProblem } from '../../lib/domain/catalog/problem.ts'
import { printable, printableJson } from '../printable.ts'
import type { CheckedCheckout } from './check-checkout.ts'

export interface ReportPlace {
  /** The folder, as the caller has written it. */
  readonly given: string
  /** The folder as seen from the working directory, with `/`; empty when it is outside: tools count paths from there. */
  readonly prefix: string
}

/** Renders the outcome, without the last line end. */
type Report = (checked: CheckedCheckout, place: ReportPlace) => string

/** A line per problem, as compilers write it: editors and terminals lead to the file. */
const textReport: Report = (checked, { given }) =>
  [
    ...checked.problems.map(({ path, line, column, severity, code, message }) => {
      const place = [join(given, path), ...(line === null ? [] : [line, column ?? 1])].join(':')
      return `${printable(place)}: ${severity}: ${printable(message)} (${code})`
    }),
    summaryOf(checked),
  ].join('\n')

/** The answer of the route that validates a file, for all of them: paths count from the checkout. */
const jsonReport: Report = (checked) => printableJson(checked)

/**
 * Workflow commands of GitHub Actions, which Gitea and Forgejo read too. They are escaped as `@actions/core` does: `%`, and in
 * properties `:` and `,` too. Control characters are written out, as in text, since a log shows the commands.
 */
const githubReport: Report = (checked, { prefix }) =>
  [
    ...checked.problems.map(({ path, line, column, severity, code, message }) => {
      const properties = {
        file: posix.join(prefix, path),
        ...(line !== null && { line, col: column ?? 1 }),
        title: code,
      }
      const list = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`)
      return `::${severity} ${list.join(',')}::${data(message)}`
    }),
    summaryOf(checked),
  ].join('\n')

const data = (text: string): string => printable(text).replaceAll('%', '%25')

const property = (value: string | number): string =>
  data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** SARIF 2.1.0 (OASIS), one run. */
const sarifReport: Report = ({ problems }, { prefix }) => {
  const rules = [...new Set(problems.map(({ code }) => code))].toSorted()
  const driver = {
    name: 'Portico',
    version: VERSION,
    rules: rules.map((id) => ({ id, shortDescription: { text: id.replaceAll('_', ' ') } })),
  }
  const results = problems.map((problem) => ({
    ruleId: problem.code,
    ruleIndex: rules.indexOf(problem.code),
    level: problem.severity,
    message: { text: problem.message },
    locations: [{ physicalLocation: locationOf(problem, prefix) }],
  }))
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    // Lines and columns count UTF-16 code units, as strings do here.
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  }
  return printableJson(log)
}

/** GitHub shows no result without a line: that of a whole file is shown at its beginning. */
const locationOf = ({ path, line, column }: CatalogProblem, prefix: string) => ({
  artifactLocation: { uri: relativeUri(posix.join(prefix, path)), uriBaseId: '%SRCROOT%' },
  region: { startLine: line ?? 1, startColumn: column ?? 1 },
})

const relativeUri = (path: string): string =>
  path.toWellFormed().split('/').map(encodeURIComponent).join('/')

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

/** One line for people. */
function summaryOf({ entities, templates, problems }: CheckedCheckout): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const found = [
    count(entities.length, 'entity', 'entities'),
    count(templates.length, 'template', 'templates'),
  ]
  const wrong = [
    count(errors, 'error', 'errors'),
    count(problems.length - errors, 'warning', 'warnings'),
  ]
  return `${found.join(' and ')}: ${wrong.join(', ')}`
}

export const formats = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
} as const satisfies Record<string, Report>

export type Format = keyof typeof formats
