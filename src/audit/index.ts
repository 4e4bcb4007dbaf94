// Who did what: a log of acts in which every entry is chained to the one before, so that changes to it are found. What counts
// as an act, and who may read of it, is said by those who serve requests.

export { AuditLog, AuditLogUnavailable } from './audit-log.ts';
export type { Act, AuditEntry, AuditHead, Details } from './audit-entry.ts';
export type { Verdict } from './verify-chain.ts';
