// The runtime provisioner: node bin/provisioner.ts
import { ProvisionerConfig } from '#config';
import { runProvisioner } from './wiring/provisioner.ts';
import { runService } from './wiring/run-service.ts';

await runService('provisioner', ProvisionerConfig, runProvisioner);
