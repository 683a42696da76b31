import { Type } from 'typebox'
import { pathParameters } from '../http/schema.ts'
import { named } from '../named-schema.ts'
import { RepositoryPart } from '../names.ts'

const owner = named(RepositoryPart)
const repository = named(RepositoryPart)

export const repositoryParams = pathParameters(Type.Object({ owner, repository }))

export const pullRequestParams = pathParameters(
  Type.Object({ owner, repository, number: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) }),
)
