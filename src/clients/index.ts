// One folder per outside system: a narrow interface, and its implementation on the system's own wire protocol. All are
// bounded in time and number, leave a system alone that keeps failing, and throw SystemError. What a failure means for an
// operation, and when to try again, is left to the steps and the engine.

export { SystemError } from './system-error.ts';
export { type SystemSettings } from './http-client.ts';
export {
  edpClient,
  edpConflict,
  type DataTenant,
  type EdpClient,
  type EdpSettings,
  type Metadata,
} from './edp/edp-client.ts';
