import { replicasSuite } from './replicas-world.ts'

replicasSuite({
  way: 'pgbouncer in transaction mode, by polling',
  isPooled: true,
})
