import type { Resource } from '../../api/resource.ts'
import { entityPath, pathOf } from '../../paths.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import type { ApplicationHealth } from '../../ui/health.ts'
import { AnswerState } from '../../ui/parts.tsx'
import { counted } from '../../ui/words.ts'
import { type Application, environmentsOf } from '../catalog/applications.ts'
import { Deployed } from '../catalog/deployed-cell.tsx'
import type { Filter } from '../catalog/filters.ts'

/** A longer table is searched in the catalog. */
const SHOWN_MAX = 30

interface ServicesProps {
  readonly title: string
  readonly answer: Resource<readonly Application[]>
  readonly health: readonly ApplicationHealth[] | undefined
  /** Finds them in the catalog. */
  readonly filter: Filter
}

/** Every service in every environment. */
export function Services({ title, answer, health, filter }: ServicesProps) {
  const { value, headers } = answer
  const total = Number(headers?.get('x-total-count') ?? 0)
  const environments = environmentsOf(value ?? [])
  return (
    <Card
      id="services"
      title={title}
      end={
        total > 0 && (
          <a href={pathOf('catalog', {}, { kind: 'component', ...filter })}>
            {total > SHOWN_MAX ? `All ${counted(total, 'service')}` : 'In the catalog'}
          </a>
        )
      }
    >
      <AnswerState answer={answer} />
      {value?.length === 0 && (
        <p class="none">
          No service yet. <a href={pathOf('templates', {})}>Start the first one</a>.
        </p>
      )}
      {value !== undefined && value.length > 0 && (
        <div
          class="home-matrix"
          style={{ '--environments': environments.length }}
          role="region"
          aria-label="Versions by environment"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
        >
          <DataTable
            isCut
            rows={value.slice(0, SHOWN_MAX)}
            keyOf={({ entity }) => entityPath(entity)}
            columns={columnsOf(environments, health)}
          />
        </div>
      )}
    </Card>
  )
}

const columnsOf = (
  environments: readonly string[],
  health: ServicesProps['health'],
): readonly Column<Application>[] => [
  { label: 'Name', cell: nameCell },
  ...environments.map((name) => ({
    label: name,
    cell: (application: Application) => (
      <Deployed application={application} name={name} health={health} />
    ),
  })),
]

function nameCell({ entity, lifecycle }: Application) {
  const label = entity.title ?? entity.name
  return (
    <>
      <a href={entityPath(entity)} title={label}>
        <bdi>{label}</bdi>
      </a>
      {lifecycle === 'deprecated' && <small>deprecated</small>}
    </>
  )
}
