import { signal } from '@preact/signals'

/** Names of the environments, in the order of promotion. The usual ones until an answer has them: nothing jumps then. */
export const columns = signal<readonly string[]>(['dev', 'staging', 'production'])
