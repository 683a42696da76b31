import type { ComponentChildren } from 'preact'
import type { components } from '../../api/schema.gen.ts'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { Card } from '../../ui/parts.tsx'
import { pathOf } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { versionOf } from '../entity/stage.ts'
import {
  budgetWords,
  imageGap,
  probeWords,
  resourceWords,
  scalerWords,
  usageWords,
} from './around-words.ts'
import { NotRead } from './not-read.tsx'

export type WorkloadDetail = components['schemas']['WorkloadDetail']

/** What stands around a workload, each part with why it cannot be read. */
export const Around = ({ detail }: { readonly detail: WorkloadDetail }) => (
  <>
    <InGit detail={detail} />
    <Card id="network" title="Network">
      <dl class="facts">
        <Fact label="Hosts" part={detail.routes} name="routes" detail={detail}>
          {detail.routes?.flatMap(({ name, hosts, tlsHosts }) =>
            hosts.map((host) => (
              <HostLink key={`${name} ${host}`} host={host} isTls={tlsHosts?.includes(host)} />
            )),
          )}
        </Fact>
        <Fact label="Services" part={detail.services} name="services" detail={detail}>
          {detail.services?.map(({ name, type, ports }) => (
            <span key={name} title={type}>
              <code>
                {name}
                {ports.map(({ port, targetPort }) => ` ${port}→${targetPort}`).join(',')}
              </code>
            </span>
          ))}
        </Fact>
      </dl>
    </Card>
    <Card id="resources" title="Resources">
      <dl class="facts">
        {detail.containers?.map(({ name, requests, limits, usage, probes }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {resourceWords(requests, limits)}
              {usage !== null && <small>{usageWords(usage)}</small>}
              {probes.map((probe) => (
                <small key={probe.kind}>{probeWords(probe)}</small>
              ))}
            </dd>
          </div>
        ))}
        {typeof detail.newestPod?.qosClass === 'string' && (
          <div>
            <dt>Quality of service</dt>
            <dd>{detail.newestPod.qosClass}</dd>
          </div>
        )}
        <Fact
          label="Autoscaler"
          part={detail.autoscaler === null ? [] : [detail.autoscaler]}
          name="autoscaler"
          detail={detail}
        >
          {detail.autoscaler !== null && <span>{scalerWords(detail.autoscaler)}</span>}
        </Fact>
        <Fact
          label="Disruption budget"
          part={detail.disruptionBudgets}
          name="disruptionBudgets"
          detail={detail}
        >
          {detail.disruptionBudgets?.map((budget) => (
            <span key={budget.name}>{budgetWords(budget)}</span>
          ))}
        </Fact>
        <Fact label="Volumes" part={detail.volumeClaims} name="volumeClaims" detail={detail}>
          {detail.volumeClaims?.map(({ name, phase, capacity }) => (
            <span key={name}>
              <code>{name}</code> {[capacity, phase].filter(Boolean).join(' · ')}
            </span>
          ))}
        </Fact>
      </dl>
    </Card>
    <Conditions of={detail.conditions} title="Conditions" />
    {detail.newestPod !== null && (
      <Conditions of={detail.newestPod.conditions} title="Conditions of the newest pod" />
    )}
  </>
)

/** The application that it is a part of, and whether what git has runs. */
function InGit({ detail }: { readonly detail: WorkloadDetail }) {
  const { inGit } = detail
  if (inGit === null) return null
  const { entity, environment, image } = inGit
  const gap = imageGap(detail)
  return (
    <Card id="in-git" title="In git">
      <dl class="facts">
        <div>
          <dt>Application</dt>
          <dd>
            <span>
              <a href={pathOf('entity', { ...entity, kind: entity.kind.toLowerCase() })}>
                {entity.name}
              </a>{' '}
              in {environment}
            </span>
          </dd>
        </div>
        <div>
          <dt>Image</dt>
          <dd title={image?.digest ?? undefined}>
            {image === null ? 'that of its base' : versionOf(image)}
            {gap !== null && (
              <small>
                <Icon name="warn" /> {gap}
              </small>
            )}
          </dd>
        </div>
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
          <div key={type}>
            <dt>{type}</dt>
            <dd title={message ?? undefined}>
              {[status, reason].filter(Boolean).join(' · ')}
              {since !== null && (
                <small>
                  <Time at={since} />
                </small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )

interface FactProps {
  readonly label: string
  readonly part: readonly unknown[] | null
  /** Member of the answer. */
  readonly name: string
  readonly detail: WorkloadDetail
  readonly children: ComponentChildren
}

const Fact = ({ label, part, name, detail, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>
      {children}
      <NotRead part={part} refused={detail.refused.includes(name)} none="none" />
    </dd>
  </div>
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
