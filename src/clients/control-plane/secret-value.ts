import { Hidden } from '../hidden.ts';

/** A value from a Secret. */
export class SecretValue extends Hidden<string> {
  override readonly shown = '[secret]';
}
