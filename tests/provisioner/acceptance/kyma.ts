/** The value of every secret override: never to be seen. */
export const canary = 'canary-override';

/** Kyma Lite: the fewest components that make a Kyma that can be managed. */
export const kymaLite = {
  version: '1.24.10',
  configuration: [
    { key: 'global.domainName', value: 'kyma.example.com' },
    { key: 'global.password', value: canary, secret: true },
  ],
  components: [
    { component: 'cluster-essentials', namespace: 'kyma-system' },
    {
      component: 'compass-runtime-agent',
      namespace: 'compass-system',
      configuration: [{ key: 'agent.password', value: canary, secret: true }],
    },
  ],
};
