import type { Resource } from '../../api/resource.ts'
import { entityPath, pathOf } from '../../paths.ts'
import type { ApplicationHealth } from '../../ui/health.ts'
import { Card } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { counted } from '../../ui/words.ts'
import { type Application, environmentsOf } from '../catalog/applications.ts'
import { Deployed } from '../catalog/deployed-cell.tsx'
import type { Filter } from '../catalog/filters.ts'
import { WORDS } from './words.ts'

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
          {WORDS.noService} <a href={pathOf('templates', {})}>Start the first one</a>.
        </p>
      )}
      {value !== undefined && value.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div class="home-matrix" tabIndex={0} role="region" aria-label="Versions by environment">
          <table class="list" style={{ '--environments': environments.length }}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                {environments.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.slice(0, SHOWN_MAX).map((application) => (
                <Row
                  key={entityPath(application.entity)}
                  application={application}
                  environments={environments}
                  health={health}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}

interface RowProps {
  readonly application: Application
  readonly environments: readonly string[]
  readonly health: readonly ApplicationHealth[] | undefined
}

const Row = ({ application, environments, health }: RowProps) => {
  const { entity } = application
  const label = entity.title ?? entity.name
  return (
    <tr>
      <th scope="row">
        <a href={entityPath(entity)} title={label}>
          <bdi>{label}</bdi>
        </a>
        {application.lifecycle === 'deprecated' && <small>deprecated</small>}
      </th>
      {environments.map((name) => (
        <td key={name}>
          <Deployed application={application} name={name} health={health} />
        </td>
      ))}
    </tr>
  )
}
