import { type Person, people } from '../people.ts'
import { file } from './file.ts'
import type { SeedCommit } from './git-history.ts'

/** The source of the ledger: what each version brought. */

interface Version extends SeedCommit {
  readonly tag?: string
}

const { dev, manager } = people

const README = `# Ledger

Double-entry bookkeeping of all payments. Every posting has two sides, and nothing is ever changed: a mistake is
corrected by a posting of its own.

- \`POST /postings\` books a payment
- \`GET /accounts/{id}\` has the balance and the last postings
- The day closes at midnight in the time zone of the team
`

const change = (daysAgo: number, by: Person, message: string, tag?: string): Version => ({
  daysAgo,
  by,
  message,
  files: [file('CHANGES.md', `# ${tag ?? 'Next'}\n\n${message}\n`)],
  ...(tag !== undefined && { tag }),
})

export const described = { description: 'Double-entry bookkeeping of all payments' }

export const versions = [
  {
    daysAgo: 165.3,
    by: dev,
    message: 'Book payments with two sides',
    files: [file('README.md', README)],
    tag: '4.11.6',
  },
  change(140.2, manager, 'Retry postings that met a lock'),
  change(138.1, dev, 'Add an index for the monthly statement'),
  change(135.6, dev, 'Close the day in the time zone of the team', '4.12.0'),
  change(14.4, dev, 'Round half to even, as the auditors ask', '4.12.1'),
  change(3.1, manager, 'Export statements as CSV'),
  change(2.2, dev, 'Name the account in the error of a refused posting', '4.13.0'),
] as const satisfies readonly [Version & { readonly tag: string }, ...Version[]]
