import { fullName, type Label, type Repository, type State } from '../state.ts'

export const labelJson = (state: State, repository: Repository, { id, name, color }: Label) => ({
  id,
  name,
  exclusive: false,
  is_archived: false,
  color,
  description: '',
  url: `${state.url}/api/v1/repos/${fullName(repository)}/labels/${id}`,
})
