import { posix } from 'node:path'
import { VERSION } from '../../../version.ts'
import type { CatalogProblem } from '../../../lib/domain/catalog/problem.ts'
import type { Report } from './report.ts'
import { printableJson } from './printable.ts'

/** SARIF 2.1.0 (OASIS), one run. */
export const sarifReport: Report = ({ problems }, { prefix }) => {
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
