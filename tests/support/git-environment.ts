/** What git as a person has it may see: nothing of this machine's configuration, and no questions. */
export const gitEnvironment = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
})
