import { z } from 'zod';
import { logSettings, port } from './common-settings.ts';

/** Everything that `npm start` reads from the environment. */
export const StartConfig = z.object({
  ...logSettings,
  LOG_LEVEL: logSettings.LOG_LEVEL.unwrap().default('warn'),
  BROKER_PORT: port.default(8_080),
  PROVISIONER_PORT: port.default(3_000),
  LANDSCAPE_PORT: port.default(9_090),
  /** Simulated seconds per real second: at this one a runtime is ready in about 20 seconds. */
  LANDSCAPE_SPEED: z.coerce.number().positive().max(1e6).default(40),
  /** Without it, the embedded PostgreSQL is used. */
  DATABASE_URL: z.string().optional(),
  /** For the broker: modules that add steps. */
  KCP_EXTENSIONS: z.string().optional(),
  /** Where the embedded PostgreSQL, and the demo's own files, are. */
  DATA_DIR: z.string().optional(),
});
export type StartConfig = z.infer<typeof StartConfig>;
