import type { GardenerConfig } from '../config/gardener-config.ts';
import type { ProviderPart } from './provider-part.ts';

/** All machines of a runtime are in one pool. */
export function workerPool(config: GardenerConfig, { zones, workerConfig }: ProviderPart) {
  const { machineType, machineImage, machineImageVersion, diskType, volumeSizeGB } = config;
  return {
    name: 'cpu-worker-0',
    minimum: config.autoScalerMin,
    maximum: config.autoScalerMax,
    maxSurge: config.maxSurge,
    maxUnavailable: config.maxUnavailable,
    machine: {
      type: machineType,
      ...(machineImage !== undefined && {
        image: {
          name: machineImage,
          ...(machineImageVersion !== undefined && { version: machineImageVersion }),
        },
      }),
    },
    ...(diskType !== undefined &&
      volumeSizeGB !== undefined && { volume: { type: diskType, size: `${volumeSizeGB}Gi` } }),
    ...(zones && { zones }),
    ...(workerConfig && { providerConfig: workerConfig }),
  };
}
