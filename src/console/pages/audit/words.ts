/** Texts of the audit page. */
export const WORDS = {
  noTeam: 'You are in no team',
  forMembers: 'Team members see the records of their team. Ask the platform team to add you.',
  none: 'No records',
  kept: 'Records are kept for 400 days.',
  title: 'Records, newest first',
  details: 'Details',
  person: 'Person (subject)',
  usual: 'Everything except sign-ins',
  all: 'All actions',
} as const
