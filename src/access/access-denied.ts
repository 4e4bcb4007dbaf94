import type { Identity } from './identity.ts';

/** The request is not from whom it should be (401), or they may not do this (403). Says no more than callers may know. */
export class AccessDenied extends Error {
  override readonly name = 'AccessDenied';
  readonly status: 401 | 403;
  /** For logs and audits: which check refused it. */
  readonly reason: string;
  /** For audits: who it was, as far as that is certain. */
  readonly identity: Identity | undefined;
  /** Set by the gate: what may be brought instead. */
  challenges: readonly string[] = [];

  constructor(
    status: 401 | 403,
    reason: string,
    message: string,
    { identity, ...options }: ErrorOptions & { readonly identity?: Identity } = {},
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.identity = identity;
  }
}
