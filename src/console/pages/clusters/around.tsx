import type { ComponentChildren } from 'preact'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.gen.ts'
import { Card, Fact } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EntityLink, OutsideLink } from '../../ui/link.tsx'
import { Time } from '../../ui/time.tsx'
import { parseImage } from '../entity/running-facts.ts'
import { versionOf } from '../entity/stage.ts'
import { HISTORY_MAX } from '../entity/use-entity.ts'
import {
  budgetWords,
  imageGap,
  probeWords,
  resourceWords,
  scalerWords,
  usageWords,
} from './around-words.ts'

export type WorkloadDetail = components['schemas']['WorkloadDetail']

/** The cards around a workload: each shows its part, or why it cannot be read. */
export const Around = ({ detail }: { readonly detail: WorkloadDetail }) => (
  <>
    <InGit detail={detail} />
    <Card id="network" title="Network">
      <dl class="facts">
        <Part label="Hosts" name="routes" detail={detail}>
          {detail.routes?.flatMap(({ name, hosts, tlsHosts }) =>
            hosts.map((host) => (
              <HostLink key={`${name} ${host}`} host={host} isTls={tlsHosts?.includes(host)} />
            )),
          )}
        </Part>
        <Part label="Services" name="services" detail={detail}>
          {detail.services?.map(({ name, type, ports }) => (
            <span key={name} title={type}>
              <code>
                {name}
                {ports.map(({ port, targetPort }) => ` ${port}→${targetPort}`).join(',')}
              </code>
            </span>
          ))}
        </Part>
      </dl>
    </Card>
    <Card id="resources" title="Resources">
      <dl class="facts">
        {detail.containers?.map(({ name, requests, limits, usage, probes }) => (
          <Fact key={name} label={name}>
            {resourceWords(requests, limits)}
            {usage !== null && <small>{usageWords(usage)}</small>}
            {probes.map((probe) => (
              <small key={probe.kind}>{probeWords(probe)}</small>
            ))}
          </Fact>
        ))}
        {typeof detail.newestPod?.qosClass === 'string' && (
          <Fact label="Quality of service">{detail.newestPod.qosClass}</Fact>
        )}
        <Part label="Autoscaler" name="autoscaler" detail={detail}>
          {detail.autoscaler !== null && <span>{scalerWords(detail.autoscaler)}</span>}
        </Part>
        <Part label="Disruption budget" name="disruptionBudgets" detail={detail}>
          {detail.disruptionBudgets?.map((budget) => (
            <span key={budget.name}>{budgetWords(budget)}</span>
          ))}
        </Part>
        <Part label="Volumes" name="volumeClaims" detail={detail}>
          {detail.volumeClaims?.map(({ name, phase, capacity }) => (
            <span key={name}>
              <code>{name}</code> {[capacity, phase].filter(Boolean).join(' · ')}
            </span>
          ))}
        </Part>
      </dl>
    </Card>
    <Conditions of={detail.conditions} title="Conditions" />
    {detail.newestPod !== null && (
      <Conditions of={detail.newestPod.conditions} title="Conditions of the newest pod" />
    )}
  </>
)

/** The changes of the image in git, newest first. */
export function useImageHistory(inGit: WorkloadDetail['inGit']) {
  const { kind = '', name = '' } = inGit?.entity ?? {}
  return useResource(
    inGit === null ? null : '/api/v1/catalog/entities/{kind}/{name}/promotion/history',
    {
      params: { kind: kind.toLowerCase(), name },
      query: { environment: inGit?.environment, limit: HISTORY_MAX },
    },
  )
}

/** The application that it is a part of, and whether what git has runs. */
function InGit({ detail }: { readonly detail: WorkloadDetail }) {
  const { inGit, images } = detail
  const name = useImageHistory(inGit).value?.[0]?.image?.name
  if (inGit === null) return null
  const { entity, environment, image } = inGit
  const gap = imageGap(detail, name)
  const isOther = name != null && images.every((each) => parseImage(each).name !== name)
  return (
    <Card id="in-git" title="In git">
      <dl class="facts">
        <Fact label="Application">
          <span>
            <EntityLink to={entity} /> in {environment}
          </span>
        </Fact>
        {!isOther && (
          <Fact label="Image">
            <span title={image?.digest ?? undefined}>
              {image === null ? 'that of its base' : versionOf(image)}
            </span>
            {gap !== null && (
              <small>
                <Icon name="warn" /> {gap}
              </small>
            )}
          </Fact>
        )}
      </dl>
    </Card>
  )
}

interface ConditionsProps {
  readonly of: WorkloadDetail['conditions']
  readonly title: string
}

/** In the words of the cluster. */
const Conditions = ({ of, title }: ConditionsProps) =>
  of.length === 0 ? null : (
    <Card id={title.toLowerCase().replaceAll(' ', '-')} title={title}>
      <dl class="facts">
        {of.map(({ type, status, reason, message, since }) => (
          <Fact key={type} label={type}>
            <span title={message ?? undefined}>{[status, reason].filter(Boolean).join(' · ')}</span>
            {since !== null && (
              <small>
                <Time at={since} />
              </small>
            )}
          </Fact>
        ))}
      </dl>
    </Card>
  )

interface PartProps {
  readonly label: string
  readonly name: 'routes' | 'services' | 'autoscaler' | 'disruptionBudgets' | 'volumeClaims'
  readonly detail: WorkloadDetail
  readonly children: ComponentChildren
}

/** An autoscaler that is none is no part that was not read. */
const partOf = ({ autoscaler, ...lists }: WorkloadDetail, name: PartProps['name']) =>
  name === 'autoscaler' ? [autoscaler].filter((each) => each !== null) : lists[name]

const Part = ({ label, name, detail, children }: PartProps) => (
  <Fact label={label}>
    {children}
    <NotRead part={partOf(detail, name)} refused={detail.refused.includes(name)} none="none" />
  </Fact>
)

interface HostLinkProps {
  readonly host: string
  /** Undefined where the gateway decides. */
  readonly isTls: boolean | undefined
}

/** A wildcard is no address. */
const HostLink = ({ host, isTls }: HostLinkProps) =>
  host.includes('*') ? (
    <span>{host}</span>
  ) : (
    <OutsideLink url={`${isTls === false ? 'http' : 'https'}://${host}`}>{host}</OutsideLink>
  )

interface NotReadProps {
  /** `null` when nothing of it can be read. */
  readonly part: readonly unknown[] | null
  /** The cluster does not let the person read all of it. */
  readonly refused: boolean
  /** Said when there is nothing. */
  readonly none: string
}

/** Why a part is empty, or not whole. */
export function NotRead({ part, refused, none }: NotReadProps) {
  if (part !== null && !refused) {
    return part.length === 0 && none !== '' ? <p class="none">{none}</p> : null
  }
  return (
    <p class="not-read">
      <Icon name="dash" />
      {part === null || part.length === 0
        ? 'The cluster does not let you read this.'
        : 'The cluster lets you read a part of this.'}
    </p>
  )
}
