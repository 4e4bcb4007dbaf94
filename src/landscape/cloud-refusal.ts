/** As hyperscalers refuse something: a status and a code of their own. */
export class CloudRefusal extends Error {
  override readonly name = 'CloudRefusal';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
