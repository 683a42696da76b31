import { replicasSuite } from './replicas-world.ts'

replicasSuite({ way: 'a direct connection, with LISTEN', isPooled: false })
