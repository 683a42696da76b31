import { catchTermination } from './termination.ts'

// Signals are caught before the commands are loaded, which takes longest when the machine is busy.
const termination = catchTermination()
const { runCommand } = await import('./cli/commands.ts')
await runCommand(termination)
