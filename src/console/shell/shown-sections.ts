import { computed } from '@preact/signals'
import { session } from '../api/session.ts'
import { REPOSITORIES, SECTIONS } from './sections.ts'

/** With the embedded git host its pages are among them. */
export const sections = computed(() =>
  session.value?.repositories == null ? SECTIONS : [...SECTIONS, REPOSITORIES],
)
