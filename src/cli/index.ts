// kcp, the operators' command line: commands, logins, contexts, tables. It speaks HTTP to the services and knows nothing of
// how they work inside.

export { runKcp } from './kcp.ts';
export type { Surroundings } from './surroundings.ts';
