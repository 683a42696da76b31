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

[How a payment is booked](docs/booking.md) · [Restore the ledger](docs/runbooks/restore.md)
`

const BOOKING = `# How a payment is booked

![A payment moves from the customer over the clearing account to the bank](booking.svg)

| Step | Debit | Credit |
| --- | --- | --- |
| Captured | clearing | customer |
| Paid out | bank | clearing |

Ask for the balance of an account:

\`\`\`sh
curl https://ledger.acme.example/accounts/clearing
\`\`\`

> A posting is never changed. Book its opposite, and then the right one.
`

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 90" width="520" height="90" font-family="sans-serif" font-size="15" text-anchor="middle">
  <g fill="#efedfd" stroke="#5b4fd6">
    <rect x="1" y="20" width="130" height="50" rx="8" />
    <rect x="195" y="20" width="130" height="50" rx="8" />
    <rect x="389" y="20" width="130" height="50" rx="8" />
    <path d="M131 45h60M325 45h60" />
  </g>
  <g fill="#16171d"><text x="66" y="50">customer</text><text x="260" y="50">clearing</text><text x="454" y="50">bank</text></g>
</svg>
`

const RESTORE = `# Restore the ledger

1. Scale the ledger to zero in the overlay of its environment.
2. Restore the last snapshot of the database, see [the booking](../booking.md).
3. Compare the sums with \`GET /accounts/clearing\`, and scale it up again.

- [x] tried in staging in May
- [ ] tried in production
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
    files: [
      file('README.md', README),
      file('docs/booking.md', BOOKING),
      file('docs/booking.svg', DRAWING),
      file('docs/runbooks/restore.md', RESTORE),
    ],
    tag: '4.11.6',
  },
  change(140.2, manager, 'Retry postings that met a lock'),
  change(138.1, dev, 'Add an index for the monthly statement'),
  change(135.6, dev, 'Close the day in the time zone of the team', '4.12.0'),
  change(14.4, dev, 'Round half to even, as the auditors ask', '4.12.1'),
  change(3.1, manager, 'Export statements as CSV'),
  change(2.2, dev, 'Name the account in the error of a refused posting', '4.13.0'),
] as const satisfies readonly [Version & { readonly tag: string }, ...Version[]]
