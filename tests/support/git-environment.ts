/** Environment of a person's git: without this machine's configuration, and without prompts. */
export const gitEnvironment = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
})
