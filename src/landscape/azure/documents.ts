import type { Group, Namespace } from './resources.ts';

// Resources as Azure writes them.

export const groupDocument = (group: Group) => ({
  id: `/subscriptions/${group.subscription}/resourceGroups/${group.name}`,
  name: group.name,
  location: group.location,
  tags: group.tags,
  properties: { provisioningState: group.deletion ? 'Deleting' : 'Succeeded' },
});

export const namespaceDocument = (group: Group, namespace: Namespace, state: string) => ({
  id: `${groupDocument(group).id}/providers/Microsoft.EventHub/namespaces/${namespace.name}`,
  name: namespace.name,
  type: 'Microsoft.EventHub/Namespaces',
  location: namespace.location,
  tags: namespace.tags,
  sku: { name: 'Standard', tier: 'Standard', capacity: 1 },
  properties: {
    provisioningState: state,
    serviceBusEndpoint: `https://${namespace.name}.servicebus.windows.net:443/`,
  },
});

export function keysDocument({ name, keys: [primaryKey, secondaryKey] }: Namespace) {
  const keyName = 'RootManageSharedAccessKey';
  const connection = (key: string) =>
    `Endpoint=sb://${name}.servicebus.windows.net/;SharedAccessKeyName=${keyName};SharedAccessKey=${key}`;
  return {
    keyName,
    primaryKey,
    secondaryKey,
    primaryConnectionString: connection(primaryKey),
    secondaryConnectionString: connection(secondaryKey),
  };
}
