export { createKubernetes } from './kubernetes/index.ts'
