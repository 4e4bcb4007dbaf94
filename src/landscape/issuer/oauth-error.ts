/** What the endpoints refuse, by the codes of RFC 6749, 6750 and 8628, and with which status. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  access_denied: 400,
  login_required: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  invalid_token: 401,
  insufficient_scope: 403,
} as const;

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: keyof typeof statuses;

  /** The description repeats nothing of what was sent. */
  constructor(code: keyof typeof statuses, description: string) {
    super(description);
    this.code = code;
  }

  get status(): number {
    return statuses[this.code];
  }
}
