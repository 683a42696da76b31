import { Type } from 'typebox'
import { answerReader } from '../../hosted/api/answer-reader.ts'

/** Answers of GitHub's REST API, version 2022-11-28, with the members that are read. */

export const readAccount = answerReader(
  'an account',
  Type.Object({ login: Type.String(), type: Type.String() }),
)
