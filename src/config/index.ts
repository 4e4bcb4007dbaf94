// The settings of every process: names, types, defaults, and what is wrong with them. Read in bin/ alone; modules are given
// the values they need.

export { BadSettings, readSettings } from './read-settings.ts';
export { BrokerConfig } from './broker-config.ts';
export { ProvisionerConfig } from './provisioner-config.ts';
export { StartConfig } from './start-config.ts';
