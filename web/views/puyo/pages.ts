// The pages of the Puyo tab, as addresses name them: #/puyo/advisor
export const PAGES = ['versus', 'solo', 'practice', 'advisor', 'simulate', 'editor', 'replay'] as const;
export type Page = (typeof PAGES)[number];
