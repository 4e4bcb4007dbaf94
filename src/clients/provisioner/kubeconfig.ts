import { Hidden } from '../hidden.ts';

/** Opens a cluster to whoever has it. */
export class Kubeconfig extends Hidden<string> {
  override readonly shown = '[kubeconfig]';
}
