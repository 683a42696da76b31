import { Gauge, type Registry } from '@prometheus-io/client'

/** A value that is read when it is asked for. `undefined` is no value: what is not known is not zero. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    collect() {
      const value = read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
  registry.registerMetric(gauge)
}
