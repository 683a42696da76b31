import type { ComponentChildren } from 'preact'
import type { components } from '../../api/schema.gen.ts'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { Card } from '../../ui/parts.tsx'
import { budgetWords, resourceWords, scalerWords, usageWords } from './around-words.ts'
import { NotRead } from './not-read.tsx'

export type WorkloadDetail = components['schemas']['WorkloadDetail']

/** What stands around a workload, each part with why it cannot be read. */
export const Around = ({ detail }: { readonly detail: WorkloadDetail }) => (
  <>
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
        {detail.containers?.map(({ name, requests, limits, usage }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {resourceWords(requests, limits)}
              {usage !== null && <small>{usageWords(usage)}</small>}
            </dd>
          </div>
        ))}
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
  </>
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
