import { Type } from 'typebox'
import type { DeployTokenRow } from '../ports/database/deploy-tokens.ts'
import { RepositoryPart } from '../names.ts'
import { named } from '../schema/named.ts'
import { Nullable } from '../schema/nullable.ts'
import { Person } from './person.ts'

export const RepositoryParameters = Type.Object({
  owner: named(RepositoryPart, { description: 'Owner of the repository', examples: ['acme'] }),
  name: named(RepositoryPart, { description: 'Name of the repository', examples: ['gitops'] }),
})

export const DeployToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    access: Type.Union([Type.Literal('read'), Type.Literal('write')]),
    createdAt: Type.String({ format: 'date-time' }),
    createdBy: Person,
    lastUsedAt: Nullable(
      Type.String({ format: 'date-time', description: 'To the minute; `null`: never' }),
    ),
  },
  { $id: 'DeployToken' },
)

export const exampleDeployToken = {
  id: '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11',
  name: 'argo-cd',
  access: 'read',
  createdAt: '2026-11-21T09:30:00.000Z',
  createdBy: { subject: 'platform', name: 'Priya Raman' },
  lastUsedAt: null,
}

export const deployTokenBody = ({
  id,
  name,
  access,
  createdAt,
  subject,
  personName,
  lastUsedAt,
}: DeployTokenRow) => ({
  id,
  name,
  access,
  createdAt: new Date(createdAt).toISOString(),
  createdBy: { subject, name: personName },
  lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
})

export const NO_EMBEDDED_HOST = {
  kind: 'not_found',
  hint: 'the repositories are at another git host, which has tokens of its own',
} as const
