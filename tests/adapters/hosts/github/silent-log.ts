import { createLog } from '#src/lib/logging/log.ts'

export const silentLog = createLog({ level: 'silent' }).events
