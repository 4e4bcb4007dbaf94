import {
  bestEffort,
  condition,
  done,
  fail,
  skip,
  wait,
  type Addition,
  type StepContext,
} from '#engine';
import { hours, minutes, seconds } from '#time';
import { SystemError } from '#clients';
import type { Overrides } from '../overrides.ts';

/**
 * A module that adds steps, by its default export. It is given all that it needs, so that it can lie anywhere: what it
 * imports from us are types, which are gone when it runs.
 */
export type Extension = (kit: ExtensionKit) => void | Promise<void>;

export type ExtensionKit = {
  /** Adds a step to `provision`, `deprovision`, `update`, …: into a stage, before or after another step, or by weight. */
  readonly extend: (operation: string, addition: Addition) => void;
  /** The broker's environment variables, for settings of the extension's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The runtime that an operation is about, as it is stored now. */
  readonly runtimeOf: (context: Running) => Promise<RuntimeFacts>;
  /** What the steps of this stage want to have set in Kyma. Of use before the step that hands it to the installer. */
  readonly overridesOf: (context: Running) => Promise<Overrides>;
  /** Something outside does not work for now: thrown, it has the step tried again by its policy. */
  readonly outage: (system: string, message: string, cause?: unknown) => Error;
} & typeof vocabulary;

type Running = Pick<StepContext<object>, 'operation' | 'memory'>;

/** What a step may know of the order. Neither credentials nor what other steps remember. */
export type RuntimeFacts = {
  readonly instanceId: string;
  readonly runtimeId: string | undefined;
  readonly plan: string;
  readonly globalAccount: string;
  readonly subaccount: string;
  readonly provider: string;
  readonly region: string;
  readonly name: string;
  readonly shootName: string;
  readonly shootDomain: string;
};

/** How steps answer, wait and give up. */
export const vocabulary = {
  done,
  wait,
  skip,
  fail,
  condition,
  bestEffort,
  seconds,
  minutes,
  hours,
} as const;

export const outage: ExtensionKit['outage'] = (system, message, cause) =>
  new SystemError(system, `${system}: ${message}`, {
    temporary: true,
    reason: 'outage',
    ...(cause !== undefined && { cause }),
  });
