import { Type } from 'typebox'
import type { Comparison as Compared } from '../../domain/promotion/compare.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import type { Version } from '../../domain/promotion/versions.ts'
import { Nullable } from '../../schema/nullable.ts'
import { Person } from '../person.ts'
import { timeBody } from '../time.ts'

const Text = Type.String()
const Time = Type.String({ format: 'date-time' })

/** A version that can be released. */
export const ReleasableVersion = Type.Object(
  {
    tag: Type.String({ description: 'The tag of its image' }),
    commit: Nullable(Type.String({ description: "The tagged commit of the entity's repository" })),
    subject: Nullable(Type.String({ description: 'The first line of the message of the commit' })),
    by: Nullable(Person),
    at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'The commit or, without one, the first time that it ran',
      }),
    ),
    url: Nullable(Type.String({ description: 'The commit at the git host, for browsers' })),
    environments: Type.Array(Environment, {
      description: 'Those whose overlay has it on the default branch',
    }),
  },
  { $id: 'ReleasableVersion' },
)

export const versionBody = ({ tag, commit, at, environments }: Version) => ({
  tag,
  commit: commit?.id ?? null,
  subject: commit?.subject ?? null,
  by: commit?.by ?? null,
  at: timeBody(at),
  url: commit?.url ?? null,
  environments,
})

const Value = Nullable(Type.String({ description: '`null`: the overlay leaves it to the base' }))

export const Comparison = Type.Object(
  {
    differences: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'As in `overlayConfig`, such as `resources.limits.cpu`',
        }),
        from: Value,
        to: Value,
      }),
    ),
    secrets: Nullable(
      Type.Object(
        { missing: Type.Array(Text, { description: 'Keys that `from` has and `to` lacks' }) },
        { $id: 'MissingSecrets' },
      ),
      {
        description:
          '`null`: you are not of the owning team, the store decides by a policy for persons, or it did not answer',
      },
    ),
    commits: Nullable(
      Type.Array(
        Type.Object({
          id: Text,
          subject: Text,
          by: Nullable(Person),
          at: Nullable(Time),
          url: Text,
        }),
      ),
      {
        description:
          'Commits that `to` would get, newest first; `null` where the repository of the entity does not have both versions as tags',
      },
    ),
    truncated: Type.Boolean({ description: 'There are more commits' }),
  },
  { $id: 'EnvironmentComparison' },
)

export const comparisonBody = ({ commits, ...compared }: Compared) => ({
  ...compared,
  commits: commits && commits.map((commit) => ({ ...commit, at: timeBody(commit.at) })),
})

const COMMIT = {
  id: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  subject: 'Retry of postings that met a lock',
  by: { subject: null, name: 'Dana Developer' },
  at: '2026-11-21T09:30:00.000Z',
  url: 'https://portal.example.org/acme/payments-api/commit/9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
}

const { id: commit, ...told } = COMMIT
export const exampleVersions = [{ tag: '1.5.0', commit, ...told, environments: ['dev'] }]

export const exampleComparison = {
  differences: [
    { field: 'image', from: '1.5.0', to: '1.4.2' },
    { field: 'replicas', from: '2', to: '3' },
  ],
  secrets: { missing: ['STRIPE_KEY'] },
  commits: [COMMIT],
  truncated: false,
}
