import { z } from 'zod';

const name = z.string().min(1);
const conflictStrategies = ['Merge', 'Replace'] as const;

export const ConfigEntryInput = z.strictObject({
  key: name,
  value: z.string(),
  secret: z.boolean().optional(),
});
export const ComponentConfigurationInput = z.strictObject({
  component: name,
  namespace: name,
  configuration: z.array(ConfigEntryInput).optional(),
  sourceURL: z.string().optional(),
  conflictStrategy: z.enum(conflictStrategies).optional(),
});
/** The components are installed in the order of their list. */
export const KymaConfigInput = z.strictObject({
  version: name,
  profile: z.enum(['Evaluation', 'Production']).optional(),
  components: z.array(ComponentConfigurationInput),
  configuration: z.array(ConfigEntryInput).optional(),
  conflictStrategy: z.enum(conflictStrategies).optional(),
});
export const UpgradeRuntimeInput = z.strictObject({ kymaConfig: KymaConfigInput });

export type ConfigEntryInput = z.infer<typeof ConfigEntryInput>;
export type ComponentConfigurationInput = z.infer<typeof ComponentConfigurationInput>;
export type KymaConfigInput = z.infer<typeof KymaConfigInput>;
export type UpgradeRuntimeInput = z.infer<typeof UpgradeRuntimeInput>;
