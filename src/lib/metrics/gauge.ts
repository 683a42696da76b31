import { Gauge, type Registry } from '@prometheus-io/client'

/** Adds a gauge that is read at each scrape. An `undefined` value is left out of the answer. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
  registry.registerMetric(gauge)
}
