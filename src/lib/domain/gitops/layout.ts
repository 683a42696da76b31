import { type AppName, RepositoryPath, type TeamName } from '../../names.ts'

export interface ApplicationId {
  readonly team: TeamName
  readonly app: AppName
}

/** Folder of an application in the gitops repository. */
export const appPath = (team: TeamName, app: AppName): RepositoryPath =>
  RepositoryPath.of(`apps/${team}/${app}`)

export const basePath = (team: TeamName, app: AppName, file: string): RepositoryPath =>
  RepositoryPath.of(`${appPath(team, app)}/base/${file}`)

export const componentPath = (
  catalog: RepositoryPath,
  team: TeamName,
  app: AppName,
): RepositoryPath => RepositoryPath.of(`${catalog}/${team}/components/${app}.yaml`)
