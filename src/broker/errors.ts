/** Every refusal that the broker gives, and how it looks on the wire. */
export const refusals = {
  VERSION_MISSING: { status: 400 },
  MALFORMED_REQUEST: { status: 400 },
  SERVICE_NOT_OFFERED: { status: 400 },
  PLAN_NOT_OFFERED: { status: 400 },
  EU_ACCESS_REFUSED: { status: 400 },
  TRIAL_LIMIT_REACHED: { status: 400 },
  SHOOT_NAME_TAKEN: { status: 400 },
  NOT_BINDABLE: { status: 400 },
  BINDING_LIMIT_REACHED: { status: 400 },
  PREDECESSOR_UNUSABLE: { status: 400 },
  OPERATION_UNKNOWN: { status: 400 },
  NOT_EXPIRING: { status: 400 },
  INSTANCE_EXPIRED: { status: 400 },
  UNAUTHORIZED: { status: 401 },
  FORBIDDEN: { status: 403 },
  INSTANCE_UNKNOWN: { status: 404 },
  BINDING_UNKNOWN: { status: 404 },
  ORCHESTRATION_UNKNOWN: { status: 404 },
  NOT_FOUND: { status: 404 },
  NOT_SERVED: { status: 404 },
  INSTANCE_CONFLICT: { status: 409 },
  BINDING_CONFLICT: { status: 409 },
  INSTANCE_GONE: { status: 410 },
  BINDING_GONE: { status: 410 },
  NOT_POSSIBLE_NOW: { status: 409 },
  VERSION_NOT_SUPPORTED: { status: 412 },
  NOT_A_FORM: { status: 415 },
  ASYNC_REQUIRED: { status: 422, osbError: 'AsyncRequired' },
  OPERATION_IN_PROGRESS: { status: 422, osbError: 'ConcurrencyError' },
  MAINTENANCE_CONFLICT: { status: 422, osbError: 'MaintenanceInfoConflict' },
  INSTANCE_UNUSABLE: { status: 422 },
  UPDATE_NOT_SUPPORTED: { status: 422 },
  UPDATE_NOT_POSSIBLE: { status: 422 },
  RUNTIME_FAILED: { status: 502 },
  SYSTEM_FAILED: { status: 502 },
} as const satisfies Record<string, { status: number; osbError?: string }>;

export type RefusalCode = keyof typeof refusals;

/** Said of updates, and the second also of deprovisionings. Platforms believe in the contrary unless they are told. */
export type Consequences = {
  /** It will be refused again. */
  readonly update_repeatable?: false;
  readonly instance_usable?: false;
};

/** Whoever asked must change something. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly consequences: Consequences;

  constructor(
    code: RefusalCode,
    message: string,
    { consequences = {}, ...options }: ErrorOptions & { consequences?: Consequences } = {},
  ) {
    super(message, options);
    this.code = code;
    this.consequences = consequences;
  }
}
