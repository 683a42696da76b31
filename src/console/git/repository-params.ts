import { Type } from 'typebox'
import { pathParameters } from '../../lib/http/schema.ts'
import { Ruled } from '../../lib/schema/ruled.ts'
import { named } from '../../lib/schema/named.ts'
import { ObjectId, RepositoryPart, RunId } from '../../lib/names.ts'

const owner = named(RepositoryPart)
const repository = named(RepositoryPart)

export const repositoryParams = pathParameters(Type.Object({ owner, repository }))

export const pullRequestParams = pathParameters(
  Type.Object({ owner, repository, number: Ruled('number', '^[1-9][0-9]{0,8}$') }),
)

export const commitParams = pathParameters(
  Type.Object({ owner, repository, commit: named(ObjectId) }),
)

export const tokenParams = pathParameters(Type.Object({ owner, repository, id: named(RunId) }))
