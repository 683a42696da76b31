import type { Problem } from '../../api/result.ts'
import { PATHS } from '../../paths.ts'
import { Empty } from '../../ui/parts.tsx'
import type { Place } from './place.ts'

export interface RefusedProps {
  readonly place: Place
  readonly problem: Problem
}

/** The cluster has not answered yet. */
export const NoAnswer = ({ problem }: Pick<RefusedProps, 'problem'>) => (
  <Empty title={problem.title}>
    <p>{problem.detail}</p>
    <p>Portico asks again by itself, and this page follows.</p>
  </Empty>
)

/** The cluster lets the person see nothing here, in its own words, and whom to ask. */
export const Refused = ({ place, problem }: RefusedProps) => (
  <Empty
    title={
      problem.code === 'cluster_forbidden'
        ? `You may not look into ${place.namespace}`
        : problem.title
    }
  >
    <p>{problem.detail}</p>
    {problem.code === 'cluster_forbidden' && (
      <p>Ask the team that the namespace belongs to, or the platform team.</p>
    )}
    <a class="button" href={PATHS.clusters}>
      Namespaces that you may read
    </a>
  </Empty>
)
