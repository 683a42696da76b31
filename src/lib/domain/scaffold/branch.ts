import { BranchName } from '../../names.ts'
import type { ScaffoldSpec } from './spec.ts'

/** One branch per application: asking twice finds the first answer. */
export const scaffoldBranch = ({ team, app }: Pick<ScaffoldSpec, 'team' | 'app'>): BranchName =>
  BranchName.of(`scaffold/${team}/${app}`)
